package pg

import "time"

// ClockBegins says when the clock of the database begins, before the schema: not before the beginning of 2026, where it begins without. On a real
// server it has no effect.
func ClockBegins(at time.Time) Option { return func(c *config) { c.clock = at.UTC() } }

package pg

import (
	"time"

	"github.com/txmc/txmc/pg/engine"
)

// ClockBegins says when the clocks of the process's databases begin, which else is at the beginning of 2026. It is called before a
// database is declared.
func ClockBegins(at time.Time) { engine.Epoch = at.UTC() }

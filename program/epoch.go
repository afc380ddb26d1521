package program

import "time"

// Clock is when the clock of the database has to begin, as where a violation is replayed; zero where the program may
// choose.
func (p *Program) Clock() time.Time { return p.client.opts.Clock }

// Begins declares when the clock of the database begins, for reports: what follows in the database depends on it.
func (p *Program) Begins(at time.Time) {
	p.declaring("Begins")
	at = at.UTC()
	p.client.starts.Store(&at)
}

// Begun is when the clock of the database begins, as RFC 3339 has it; "" where the program does not say.
func (c *Client) Begun() string {
	if at := c.starts.Load(); at != nil {
		return at.Format(time.RFC3339Nano)
	}
	return ""
}

package program

import "sync"

// kept is what explorations have found out about the recorded behaviours and keep for those
// that follow, by keys of their own. Nothing may depend on it but the work that they do.
type kept struct{ found sync.Map }

// Keep keeps what is not changed any more under a key, until Renew.
func (c *Client) Keep(key, what any) { c.kept.found.Store(key, what) }

// Kept returns what is kept under a key, or nil.
func (c *Client) Kept(key any) any {
	what, _ := c.kept.found.Load(key)
	return what
}

package program

// Costly declares that to run a session takes long, as it asks another process. So only the first behaviour of each
// session is run again to see whether it repeats, and later ones now and then. Runs along known paths are compared
// with them in any case.
func (p *Program) Costly() {
	p.declaring("Costly")
	p.client.costly.Store(true)
}

// rounds are how often the n-th behaviour of a session is run again, and whether those of others run before.
func (c *Client) rounds(n int) (rounds int, mixed bool) {
	every := c.opts.Recheck
	if rounds = rechecks(n, every); c.costly.Load() {
		if rounds > 0 && n > 1 && n%every != 0 {
			rounds = 0
		}
		return min(rounds, 1), false
	}
	return rounds, rounds > 0 && mixes(n, every)
}

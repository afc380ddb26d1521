package program

// Needed is a directory of files that a program reads while it runs, such as those of its
// database's executor. Where the program runs on another machine the directory comes along, and
// the variable of the environment names it there.
type Needed struct {
	Variable string `json:"variable"`
	Dir      string `json:"dir"`
}

// Needs declares a directory that the program needs. A program has one at most. The directory
// has no directories in it.
func (p *Program) Needs(n Needed) {
	p.declaring("Needs")
	p.client.needed.Store(&n)
}

// Needed is the directory that the program needs; nil for none.
func (c *Client) Needed() *Needed { return c.needed.Load() }

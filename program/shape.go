package program

import (
	"crypto/sha256"
	"fmt"

	"github.com/txmc/txmc/program/behaviour"
)

// Shape is a hash of what the program declares: names, in order, initial values,
// and the limit on operations. Programs of different shapes are different
// programs; that of a program whose code was changed may be the same.
func (c *Client) Shape() string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %d\n", c.Name, c.opts.MaxOps)
	for _, d := range c.shape.declared {
		fmt.Fprintf(hash, "%q %q %q\n", d.what, d.name, c.Format(d.initial))
	}
	for x, v := range c.initial {
		fmt.Fprintf(hash, "%q = %q\n", c.Key(behaviour.VarID(x)), c.Format(v))
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:16])
}

// Variable returns the variable of that key.
func (c *Client) Variable(key string) behaviour.VarID { return c.variable(key) }

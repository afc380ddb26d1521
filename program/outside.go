package program

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/watched"
)

// Sessions share the store and nothing else. What client code keeps outside of it
// - package-level variables, the environment and the working directory - is compared with what it was
// when the program had been declared: a change passes from one session to another,
// or from one run to the next, and what is explored then are no histories of the
// program. The comparison is made after few runs, as a change stays; the replays of
// advance notice what comes and goes.

// outside is what client code can change besides the store.
type outside struct {
	seed      maphash.Seed
	variables []watchedVariable
	environ   []string
	owned     *sync.Map // names of variables of the environment that sessions have as their own
	directory string
	runs      int // that a comparison was thought of
}

// watchedVariable is a package-level variable with its footprint at the beginning.
type watchedVariable struct {
	watched.Variable
	print uint64
}

// lookOutside takes down what is there now. Variables too large to compare are
// left out.
func (c *Client) lookOutside() {
	c.outside = outside{seed: maphash.MakeSeed(), environ: os.Environ(), owned: &sync.Map{}, directory: workingDirectory()}
	c.settings.look()
	for _, v := range c.opts.Watched {
		if v.Now != nil {
			continue
		}
		if print, ok := footprintOf(c.outside.seed, v.Address, v.Package); ok {
			c.outside.variables = append(c.outside.variables, watchedVariable{v, print})
		}
	}
}

// compareOften is how many runs are each followed by a comparison; from then on
// the distances double.
const compareOften = 16

// hasRun compares after the first runs, and then less and less often.
func (c *Client) hasRun() error {
	c.outside.runs++
	if n := uint(c.outside.runs); n > compareOften && bits.OnesCount(n) > 1 {
		return nil
	}
	return c.compareOutside()
}

// compareOutside reports what has changed since lookOutside.
func (c *Client) compareOutside() error {
	if c.opts.Recheck < 0 {
		return nil
	}
	for i := range c.outside.variables {
		v := &c.outside.variables[i]
		print, ok := footprintOf(c.outside.seed, v.Address, v.Package)
		if ok && print == v.print {
			continue
		}
		if v.Once {
			v.print, v.Once = print, false
			continue
		}
		err := &behaviour.Error{Kind: behaviour.Nondeterminism, Program: c.Name, At: c.locs.Locate(v.File, v.Line, ""), Message: fmt.Sprintf(
			"the package-level variable %s changes while sessions run, so that they are not deterministic: it passes Go state from one session, or one run, to another, "+
				"which no database does; declare it in the Explore function or make it a txmc.Var "+
				"(if it never decides what a session does: //txmc:ignore global)", v.Name)}
		c.report(err)
		return c.Err()
	}
	if s := c.settings.changed(); s != nil {
		c.report(&behaviour.Error{Kind: behaviour.Nondeterminism, Program: c.Name, At: c.locs.Locate(s.File, s.Line, ""), Message: fmt.Sprintf(
			"%s changes while sessions run, so that they are not deterministic: it passes Go state from one session, or one run, to another, "+
				"which no database does; set it in the Explore function, or make it a txmc.Var "+
				"(if it never decides what a session does: //txmc:ignore global)", s.Name)})
	}
	if name := changedEnvironment(c.unowned(c.outside.environ), c.unowned(os.Environ())); name != "" {
		c.report(&behaviour.Error{Kind: behaviour.Nondeterminism, Program: c.Name, Message: fmt.Sprintf(
			"the environment variable %s changes while sessions run, so that they are not deterministic: it passes Go state from one session, or one run, to another, "+
				"which no database does; make it a txmc.Var", name)})
	}
	if now := workingDirectory(); now != c.outside.directory {
		c.report(&behaviour.Error{Kind: behaviour.Nondeterminism, Program: c.Name, Message: fmt.Sprintf(
			"the working directory changes while sessions run, from %s to %s: what a session does may depend on which one ran before it; "+
				"give paths from the root, or use os.OpenRoot", c.outside.directory, now)})
	}
	return c.Err()
}

// unowned are the variables of an environment that no session has as its own.
func (c *Client) unowned(environ []string) (list []string) {
	for _, text := range environ {
		name, _, _ := strings.Cut(text, "=")
		if _, owned := c.outside.owned.Load(name); !owned {
			list = append(list, text)
		}
	}
	return list
}

// workingDirectory is "" where the directory is not known, such as when it has been removed.
// os.Getwd would first look whether PWD names the directory. This takes ten times as long: a
// tenth of an exploration of a few histories.
func workingDirectory() string {
	dir, err := syscall.Getwd()
	if err != nil {
		return ""
	}
	return dir
}

// changedEnvironment is the name of a variable that one of the lists has and the
// other has not, or has otherwise.
func changedEnvironment(was, is []string) string {
	if slices.Equal(was, is) {
		return ""
	}
	for _, lists := range [2][2][]string{{is, was}, {was, is}} {
		for _, s := range lists[0] {
			if !slices.Contains(lists[1], s) {
				name, _, _ := strings.Cut(s, "=")
				return name
			}
		}
	}
	return ""
}

// Settle compares what client code can change outside of the store for the last
// time and returns the first error, as Err does. Call it at the end of an
// exploration. It compares nothing while client code runs, which may be stuck.
func (c *Client) Settle() error {
	select {
	case c.turn <- struct{}{}:
		if c.Err() == nil {
			_ = c.compareOutside() // Err has it
		}
		c.give()
	default:
	}
	return c.Err()
}

package gotest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// Option changes what a check does.
type Option func(*config)

// config is what the options make.
type config struct {
	explore.Options
	allowIncomplete bool
}

// Levels chooses the isolation levels. When it is not given the level is snapshot
// isolation. Of a program in SQL on PostgreSQL it is [isolation.PgRC]: PostgreSQL with
// the levels that the code asks for, and READ COMMITTED where the code asks for none.
func Levels(levels ...isolation.Level) Option {
	return func(c *config) { c.Levels = append(c.Levels, levels...) }
}

// Base chooses what the search itself keeps to: "cc", "ra", "rc", "true", or
// "none" for the baseline without reduction. It changes the time, not the verdict.
func Base(name string) Option { return func(c *config) { c.Base = name } }

// Engine chooses how PC, SI and SER are explored: "swap", "serial", or "auto",
// the default, for the one that looks faster. It changes the time, not the verdict.
func Engine(name string) Option { return func(c *config) { c.Engine = name } }

// Symmetry chooses which sessions are taken for alike: "declared", those of
// Program.Sessions, the default; "find", also others that look alike; or "off". It
// changes the time, not the verdict.
func Symmetry(which string) Option { return func(c *config) { c.Options.Symmetry = which } }

// MaxHistories stops a level after n histories; 0 means no limit.
func MaxHistories(n int64) Option { return func(c *config) { c.MaxHistories = n } }

// Interruptions bounds how often sessions are interrupted at a level of a database. A level that
// holds within the bound passes.
func Interruptions(most int) Option { return func(c *config) { c.Options.Interruptions = &most } }

// Timeout stops a level after d; 0 means no limit but the test's deadline.
func Timeout(d time.Duration) Option { return func(c *config) { c.Timeout = d } }

// MaxOps makes more than n operations in a transaction an error; 1000 when it is
// not given.
func MaxOps(n int) Option { return func(c *config) { c.MaxOps = n } }

// Workers is the number of goroutines that explore; 0 means one for each core.
func Workers(n int) Option { return func(c *config) { c.Workers = n } }

// AllowIncomplete lets a level pass that was stopped before everything was
// explored, if no assertion has failed by then. That proves nothing.
func AllowIncomplete() Option { return func(c *config) { c.allowIncomplete = true } }

// naming is how an option of a check is written.
func naming(option, value string) string {
	switch option {
	case "base", "engine", "symmetry":
		option = strings.ToUpper(option[:1]) + option[1:]
		if value != "" {
			value = fmt.Sprintf("(%q)", value)
		}
		return "txmc." + option + value
	case "max-ops":
		return "txmc.MaxOps"
	case "interruptions":
		if value != "" {
			value = "(" + value + ")"
		}
		return "txmc.Interruptions" + value
	case "iso":
		if value == "" {
			return "txmc.Levels"
		}
		return "txmc." + strings.ToUpper(value)
	case "patience":
		return "" // a check cannot change it
	}
	return option + " " + value
}

// configure applies the options and says which of them is wrong.
func configure(opts []Option) (*config, error) {
	c := &config{Options: explore.Defaults()}
	c.Prints = testing.Verbose()
	c.Dir, _ = os.Getwd() // without it, files go by their last element
	for _, o := range opts {
		o(c)
	}
	if len(c.Levels) == 0 {
		c.Levels = []isolation.Level{isolation.SI}
		if c.SearchLeftOpen() {
			c.InSQL = explore.UsualInSQL()
		}
	}
	seen := map[isolation.Level]bool{}
	c.Levels = slices.DeleteFunc(c.Levels, func(l isolation.Level) bool {
		again := seen[l]
		seen[l] = true
		return again
	})
	for _, l := range c.Levels {
		if !slices.Contains(isolation.Levels(), l) && l.Database() == isolation.NoDatabase {
			return nil, errors.New("txmc.Levels: not a level that can be checked: use txmc.RC, RA, CC, PC, SI and SER, or those of a database, such as txmc.PgRC")
		}
		_, err := c.At(l)
		var wrong *explore.OptionError
		if errors.As(err, &wrong) {
			return nil, errors.New(wrong.Words(naming))
		}
	}
	if n := c.Options.Interruptions; n != nil && *n < 0 {
		return nil, errors.New("txmc.Interruptions must not be negative")
	}
	if c.MaxHistories < 0 || c.Timeout < 0 || c.Workers < 0 || c.MaxOps < 0 {
		return nil, errors.New("txmc.MaxHistories, Timeout, Workers and MaxOps must not be negative")
	}
	return c, nil
}

// usual gives a program the levels that it has when nobody has asked for any.
func (c *config) usual(client *program.Client) {
	c.Levels, _ = c.LevelsOf(client) // a check names levels, not words
}

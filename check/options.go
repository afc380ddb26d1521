package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// Option changes what a check does.
type Option func(*config)

// config is what the options make.
type config struct {
	levels          []isolation.Level
	base            string
	engine          string
	maxHistories    int64
	timeout         time.Duration
	maxOps          int
	workers         int
	allowIncomplete bool
}

// Levels chooses the isolation levels; snapshot isolation when it is not given.
func Levels(levels ...isolation.Level) Option {
	return func(c *config) { c.levels = append(c.levels, levels...) }
}

// Base chooses what the search itself keeps to: "cc", "ra", "rc", "true", or
// "none" for the baseline without reduction. It changes the time, not the verdict.
func Base(name string) Option { return func(c *config) { c.base = name } }

// Engine chooses how PC, SI and SER are explored: "swap", "serial", or "auto" for
// the one that looks faster. It changes the time, not the verdict.
func Engine(name string) Option { return func(c *config) { c.engine = name } }

// MaxHistories stops a level after n histories; 0 means no limit.
func MaxHistories(n int64) Option { return func(c *config) { c.maxHistories = n } }

// Timeout stops a level after d; 0 means no limit but the test's deadline.
func Timeout(d time.Duration) Option { return func(c *config) { c.timeout = d } }

// MaxOps makes more than n operations in a transaction an error; 1000 when it is
// not given.
func MaxOps(n int) Option { return func(c *config) { c.maxOps = n } }

// Workers is the number of goroutines that explore; 0 means one for each core.
func Workers(n int) Option { return func(c *config) { c.workers = n } }

// AllowIncomplete lets a level pass that was stopped before everything was
// explored, if no assertion has failed by then. That proves nothing.
func AllowIncomplete() Option { return func(c *config) { c.allowIncomplete = true } }

// configure applies the options and says which of them is wrong.
func configure(opts []Option) (*config, error) {
	c := &config{}
	for _, o := range opts {
		o(c)
	}
	if len(c.levels) == 0 {
		c.levels = []isolation.Level{isolation.SI}
	}
	seen := map[isolation.Level]bool{}
	c.levels = slices.DeleteFunc(c.levels, func(l isolation.Level) bool {
		again := seen[l]
		seen[l] = true
		return again
	})
	for _, l := range c.levels {
		if !slices.Contains(isolation.Levels(), l) {
			return nil, errors.New("txmc.Levels: not a level that can be checked: use txmc.RC, RA, CC, PC, SI and SER")
		}
		if _, err := c.exploration(l); err != nil {
			return nil, errors.New(strings.ReplaceAll(err.Error(), "--", ""))
		}
	}
	if c.maxHistories < 0 || c.timeout < 0 || c.workers < 0 || c.maxOps < 0 {
		return nil, errors.New("txmc.MaxHistories, Timeout, Workers and MaxOps must not be negative")
	}
	return c, nil
}

func (c *config) exploration(l isolation.Level) (dpor.Options, error) {
	opts := dpor.Options{Level: l, MaxHistories: c.maxHistories, Workers: c.workers}
	if err := opts.SetBase(c.base); err != nil {
		return opts, fmt.Errorf("txmc.Base: %w", err)
	}
	if err := opts.SetEngine(c.engine, c.base); err != nil {
		return opts, fmt.Errorf("txmc.Engine: %w", err)
	}
	return opts, nil
}

func (c *config) program() program.Options { return program.Options{MaxOps: c.maxOps} }

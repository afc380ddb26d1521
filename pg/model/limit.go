package model

import (
	"strconv"

	"github.com/txmc/txmc/pg/engine"
)

// limit is the time limit that ends a statement's waits: lock_timeout or statement_timeout.
type limit uint8

const (
	noLimit limit = iota
	ofLock
	ofWhole // of the statement
)

// limitOf is the limit of the statement that begins. The shorter of two limits ends it, and
// the statement's where both are equal (documentation, section 19.11.1).
func limitOf(c *engine.Call) limit {
	lock, whole := milliseconds(c, "lock_timeout"), milliseconds(c, "statement_timeout")
	switch {
	case whole > 0 && (lock == 0 || whole <= lock):
		return ofWhole
	case lock > 0:
		return ofLock
	}
	return noLimit
}

// milliseconds is a setting; 0 is no limit.
func milliseconds(c *engine.Call, setting string) int {
	n, err := strconv.Atoi(c.Setting(setting))
	if err != nil {
		c.Raise("XX000", "txmc: "+setting+" is no number")
	}
	return n
}

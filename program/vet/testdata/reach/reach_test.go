package reach

import (
	"testing"
	"time"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/program"
)

// What tests explore counts, whatever its name.
func TestIt(t *testing.T) {
	_ = time.Now()
	txmc.Check(t, func(p *txmc.Program) { _ = time.Now() }) // want `time.Now`
	txmc.Check(t, declared)
	program.NewClient("x", func(p *txmc.Program) { _ = time.Now() }, program.Options{}) // want `time.Now`
}

func declared(p *txmc.Program) { _ = time.Now() } // want `time.Now`

func ExploreTested(p *txmc.Program) { _ = time.Now() } // want `time.Now`

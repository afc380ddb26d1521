package dpor

import (
	"fmt"
	"strings"

	"github.com/txmc/txmc/isolation"
)

// Engine is an algorithm.
type Engine string

const (
	// Swap is explore-ce and explore-ce*.
	Swap Engine = "swap"
	// Serial extends histories by whole transactions and never leaves the level
	// asked for, which is PC, SI or SER. Options.Base is ignored.
	Serial Engine = "serial"
	// Auto takes the one of the two that is likely to be faster.
	Auto Engine = "auto"
)

// SetEngine sets o.Engine from its name; "" stands for the default, Swap. A base
// that was asked for, not "", is one of Swap, and Serial explores PC, SI and SER
// only: what does not go together is an error that says what does.
func (o *Options) SetEngine(name, base string) error {
	switch o.Engine = Engine(strings.ToLower(name)); o.Engine {
	case "", Swap:
		o.Engine = Swap
	case Auto:
		if base != "" {
			o.Engine = Swap
		}
	case Serial:
		if base != "" {
			return fmt.Errorf("--engine=serial has no base: leave out --base=%s, or use --engine=swap", base)
		}
		if o.Level <= isolation.CC {
			return fmt.Errorf("--engine=serial explores pc, si and ser, not %v: use --engine=auto, which takes what a level has", o.Level)
		}
	default:
		return fmt.Errorf("unknown engine %q: the engines are auto, swap and serial", name)
	}
	return nil
}

// Package ignore silences checks.
package ignore

import (
	"math/rand"
	"time"

	"github.com/txmc/txmc"
)

func ExploreIgnored(p *txmc.Program) {
	p.Session("s", func(s *txmc.Session) {
		_ = time.Now() //txmc:ignore clock only the log has it
		//txmc:ignore clock
		_ = time.Now()
		_ = time.Now().Add(time.Duration(rand.Int())) //txmc:ignore clock,random
		_ = time.Now()                                //txmc:ignore
		_ = time.Now()                                //txmc:ignore random // want `time.Now reads the clock`
		_ = time.Now()                                //txmc:ignored clock // want `time.Now reads the clock`
		// txmc:ignore clock
		_ = time.Now() // want `time.Now reads the clock`
	})
}

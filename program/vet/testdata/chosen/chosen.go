// Package chosen has programs that hand functions to one helper. A run of one program calls its own
// functions, and not those of the others.
package chosen

import (
	"os"

	"github.com/txmc/txmc"
)

// both declares two sessions with one body.
func both(p *txmc.Program, body func(s *txmc.Session)) {
	p.Session("a", func(s *txmc.Session) { body(s) })
	p.Session("b", func(s *txmc.Session) { body(s) })
}

func ExploreRead(p *txmc.Program) {
	both(p, func(s *txmc.Session) { os.ReadFile("a") }) // want `os.ReadFile`
}

func ExploreWrite(p *txmc.Program) {
	both(p, write)
}

func write(s *txmc.Session) { os.WriteFile("a", nil, 0) } // want `os.WriteFile`

// hook is set before programs run, so that each of them can call it.
var hook func()

func init() {
	hook = func() { os.Remove("a") } // want `os.Remove`
}

func ExploreHook(p *txmc.Program) {
	both(p, func(s *txmc.Session) { hook() })
}

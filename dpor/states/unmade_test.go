package states

import (
	"testing"
	"time"

	"github.com/txmc/txmc/program"
)

// Of times, only those of the second at which the clock begins are no part of an outcome, and only where the program says when that is.
func TestUnmade(t *testing.T) {
	t.Parallel()
	const text = "row {id:1000000002 n:7 made:2026-11-28 20:00:22.000001+00 sent:2026-11-28T20:00:22Z due:2026-11-28 21:00:22.000001+00}"
	for want, explore := range map[string]func(*program.Program){
		"row {id:# n:7 made:2026-11-28 20:00:22.000001+00 sent:2026-11-28T20:00:22Z due:2026-11-28 21:00:22.000001+00}": func(p *program.Program) {
			p.Session("ann", func(*program.Session) {})
		},
		"row {id:# n:7 made:#+00 sent:#Z due:2026-11-28 21:00:22.000001+00}": func(p *program.Program) {
			p.Begins(time.Date(2026, time.November, 28, 20, 0, 22, 0, time.UTC))
			p.Session("ann", func(*program.Session) {})
		},
	} {
		c, err := program.NewClient("times", explore, program.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := unmade(c, text); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

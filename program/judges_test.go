package program_test

import (
	"fmt"
	"testing"

	"github.com/txmc/txmc/program"
)

func TestJudges(t *testing.T) {
	c, err := program.NewClient("Explore", func(p *program.Program) {
		p.Session("a", func(*program.Session) {})
		p.Invariant("sum", func(*program.Outcome) error { return nil })
		p.Final("audit", func(*program.Tx) error { return nil })
	}, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got string
	for _, j := range c.Judges() {
		got += fmt.Sprintf("%v %s %v\n", j.Kind, j.Name, j.At)
	}
	if want := "final audit judges_test.go:14\ninvariant sum judges_test.go:13\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

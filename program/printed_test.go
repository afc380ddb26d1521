package program

import (
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/program/behaviour"
)

// prints lets a session print, as it does in builds with the overlay.
func prints(s *Session, text string) bool { return s.run.prints([]byte(text)) }

// What a session prints is kept where it prints it, and whatever it is the session does the same.
func TestPrinted(t *testing.T) {
	t.Parallel()
	for _, loud := range []bool{false, true} {
		runs := 0
		c, err := NewClient("Printing", func(p *Program) {
			x := NewVar(p, "x", 0)
			p.Session("a", func(s *Session) {
				runs++
				if prints(s, strings.Repeat("first ", runs)) == loud {
					t.Errorf("it is kept alone: %v", !loud)
				}
				_ = s.Txn("t", func(tx *Tx) error {
					prints(s, "begun\n")
					n := x.Get(tx)
					prints(s, "read")
					prints(s, " it\n")
					x.Set(tx, n+1)
					prints(s, "written\n")
					return nil
				})
				prints(s, strings.Repeat("x", mostPrinted-len("ended\n")))
				prints(s, "ended\n")
				prints(s, "too much\n")
			})
		}, Options{Keeping: Keeping{Prints: loud}})
		if err != nil {
			t.Fatal(err)
		}
		n, err := c.Root(0)
		if err != nil {
			t.Fatal(err)
		}
		for answers := []behaviour.ValueID{Intern(c, 7)}; n.Kind != behaviour.End; {
			if n.Waits {
				n, err = c.Child(n, answers[0])
			} else {
				n = n.Next()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Err(); err != nil || runs < 2 {
			t.Errorf("%d runs: %v", runs, err)
		}
		var got [][]behaviour.Print
		for _, m := range n.Path() {
			got = append(got, m.Printed)
		}
		if len(got) != 3 {
			t.Fatalf("%d nodes", len(got))
		}
		want := [][]behaviour.Print{{{Before: 0, Text: "first "}, {Before: 1, Text: "begun\n"}}, {{Before: 0, Text: "read it\n"}, {Before: 1, Text: "written\n"}}}
		if !slices.EqualFunc(got[:2], want, slices.Equal) {
			t.Errorf("%v, want %v", got[:2], want)
		}
		last := got[2]
		if len(last) != 2 || !strings.HasSuffix(last[0].Text, "xended\n") || last[1].Text != "… and 9 bytes more\n" {
			t.Errorf("%d texts at the end", len(last))
		}
		c.Park()
	}
}

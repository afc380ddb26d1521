package requests

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

// All pairs of a file's requests, each also with itself. Each request runs alone first. The pairs that touch nothing in common
// are counted, the others are programs.

// pairOf are the sessions of a pair.
var pairOf = [2]string{"one", "two"}

// Pairs is what becomes of a file's pairs before they are explored, and what the application was asked.
type Pairs struct {
	Names    []string       `json:"names"`    // of the requests
	Programs map[string]int `json:"programs"` // of the pairs that are explored, by program: the first request's number times that of requests, plus the second's
	Apart    int            `json:"apart"`    // pairs that touch nothing in common
	Left     []LeftOut      `json:"left,omitempty"`
	Sent     int            `json:"sent"`           // requests
	Starts   int            `json:"starts"`         // of the application
	Kept     int            `json:"kept,omitempty"` // requests that go by answers which the application keeps in memory
}

// LeftOut is a request that cannot be explored, and why.
type LeftOut struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// candidates are the requests of which pairs are made: those of the file, or else what its sessions send.
func (f *File) candidates() []session {
	if len(f.Requests) > 0 {
		return f.Requests
	}
	var list []session
	for _, one := range f.Sessions {
		list = append(list, session{one.name, one.line, one.steps})
	}
	return list
}

// pairs makes the programs. What it finds goes to the file out, and again what the application was asked, after each program's
// beginning.
func (w *World) pairs(out string) (programs []harness.Program, err error) {
	w.app.Limit = w.file.Patience
	w.first, w.second = pairOf[0], pairOf[1]
	opts := append(w.database(), pg.Keep(&w.kept), w.making(w.start))
	_, end, err := pg.Connect(context.Background(), func(*pgconn.Notice) {}, opts...)
	if err != nil {
		return nil, err
	}
	if err := end(); err != nil {
		return nil, err
	}
	if len(w.file.Checks) == 0 {
		w.file.Checks = []check{{line: w.file.Line, kind: noConflict}, {line: w.file.Line, kind: serialDefault}}
	}
	found := &Pairs{Programs: map[string]int{}}
	touched, err := w.alone(found)
	if err != nil {
		return nil, err
	}
	w.trials.over = true
	list := w.file.candidates()
	for i, a := range list {
		for j := i; j < len(list); j++ {
			switch b := list[j]; {
			case touched[i] == nil || touched[j] == nil:
			case !touched[i].meets(*touched[j]):
				found.Apart++
			default:
				name := fmt.Sprintf("pair-%d-%d", i+1, j+1)
				found.Programs[name] = i*len(list) + j
				programs = append(programs, harness.Program{Name: name, Explore: func(p *program.Program) {
					found.write(w, out)
					w.explore(p, []session{{pairOf[0], a.line, a.steps}, {pairOf[1], b.line, b.steps}})
				}})
			}
		}
	}
	return programs, found.write(w, out)
}

// alone runs each request alone, and says what it touches; nil of one that cannot be explored.
func (w *World) alone(found *Pairs) (touched []*footprint, err error) {
	var known catalog
	if _, err = w.kept.Use(func(dial func() (net.Conn, error)) error {
		known, err = readCatalog(context.Background(), dial)
		return err
	}); err != nil {
		return nil, err
	}
	list := w.file.candidates()
	for i, t := range w.tryAll(list, w.tryBoth) {
		one := list[i]
		found.Names = append(found.Names, one.name)
		if len(t.kept) > 0 {
			found.Kept++
		}
		if t.err == nil && t.fails != "" {
			t.err = &placedError{w.file.Name, one.line, "it fails alone: " + t.fails}
		}
		if t.err != nil {
			found.Left = append(found.Left, LeftOut{one.name, t.err.Error()})
			touched = append(touched, nil)
			continue
		}
		f := known.of(t.sent)
		if known.hides {
			f = footprint{map[string]bool{"": true}, map[string]bool{"": true}}
		}
		touched = append(touched, &f)
	}
	w.app.Learned()
	return touched, nil
}

// tryBoth tries a request in the processes of both sessions: each has to know what the other one does.
func (w *World) tryBoth(one session) (t tried, err error) {
	if t, err = w.tryOne(session{pairOf[0], one.line, one.steps}); err != nil {
		return t, err
	}
	two := session{pairOf[1], one.line, one.steps}
	if len(t.kept) > 0 {
		_, err = w.tryOne(two)
	} else {
		_, _, err = w.tryOnce(two)
	}
	return t, err
}

// write writes what is found, with the figures so far.
func (p *Pairs) write(w *World, out string) error {
	f := w.app.Figures()
	p.Sent, p.Starts = f.Requests, f.Starts
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := os.WriteFile(out+"~", text, 0o600); err != nil {
		return err
	}
	return os.Rename(out+"~", out)
}

package requests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/server/application"
)

// What must hold. Where a file says nothing, the sessions are serial.

// check is one of them.
type check struct {
	line int
	kind string // one of the kinds below

	sql string // of bySQL: its one value is true

	session string // of byResponse: whose
	number  int    // of its steps, from 1; 0: the last
	status  int    // 0: any
	json    map[string]string
}

// The kinds of checks.
const (
	noFailure     = "no 5xx"
	noConflict    = "no 5xx after conflicts"
	serializable  = "serializable"
	serial        = "sessions are serial"
	bySQL         = "sql"
	byResponse    = "response"
	serialDefault = "the sessions are serial"
)

// checks reads one check or a list.
func checks(n *yaml.Node) (list []check, err error) {
	err = items(n, func(v *yaml.Node) error {
		c, err := readCheck(v)
		list = append(list, c)
		return err
	})
	return list, err
}

func readCheck(n *yaml.Node) (c check, err error) {
	c.line = n.Line
	if n.Kind == yaml.ScalarNode {
		switch c.kind = n.Value; c.kind {
		case noFailure, noConflict, serializable, serial:
			return c, nil
		}
		return c, wrong(n, "check: %q is none of %q, %q, %q and %q; or give \"sql: SELECT …\", or \"response: SESSION\" with a status", n.Value, noFailure, noConflict, serializable, serial)
	}
	err = fields(n, "a check", map[string]func(*yaml.Node) error{
		"sql":      func(v *yaml.Node) (err error) { c.kind = bySQL; c.sql, err = text(v, "sql"); return err },
		"response": func(v *yaml.Node) (err error) { c.kind = byResponse; c.session, err = text(v, "response"); return err },
		"number":   func(v *yaml.Node) (err error) { c.number, err = number(v, "number"); return err },
		"status":   func(v *yaml.Node) (err error) { c.status, err = number(v, "status"); return err },
		"json":     func(v *yaml.Node) (err error) { c.json, err = pairs(v, "json"); return err },
	})
	switch {
	case err != nil:
		return c, err
	case c.kind == "":
		return c, wrong(n, "check: give sql or response")
	case c.kind == bySQL && (c.session != "" || c.status != 0 || c.json != nil):
		return c, wrong(n, "check: make two checks of sql and response")
	case c.kind == byResponse && c.status == 0 && c.json == nil:
		return c, wrong(n, "check: say what the response must be: status or json")
	}
	return c, nil
}

// refersToSessions says where a check names a session that is none.
func (f *File) refersToSessions(*yaml.Node) error {
	for _, c := range f.Checks {
		if c.kind != byResponse {
			continue
		}
		steps := -1
		for _, s := range f.Sessions {
			if s.name == c.session {
				steps = len(s.steps)
			}
		}
		switch {
		case steps < 0:
			return &Error{Line: c.line, Column: 1, Message: fmt.Sprintf("check: there is no session %q", c.session)}
		case c.number < 0 || c.number > steps:
			return &Error{Line: c.line, Column: 1, Message: fmt.Sprintf("check: session %q sends %d requests, and number is %d", c.session, steps, c.number)}
		}
	}
	return nil
}

// lenient reports whether a request may tell its user to try again: where the file does not say what must hold.
func (f *File) lenient() bool {
	return len(f.Checks) == 0 || slices.ContainsFunc(f.Checks, func(c check) bool { return c.kind == serialDefault })
}

// refusals are the statuses of responses that say so (RFC 9110, 15.5 and 15.6; RFC 4918, 11.3; RFC 6585, 4).
var refusals = []int{409, 412, 423, 429, 503}

// declare declares what must hold of all sessions, the first of which is at that line.
func (f *File) declare(p *program.Program, db *pg.DB, first int) {
	if len(f.Checks) == 0 {
		p.Place(f.Name, first, serial)
		p.SerialSessions(serialDefault)
	}
	for _, c := range f.Checks {
		p.Place(f.Name, c.line, c.kind)
		switch c.kind {
		case serializable:
			p.Serializable(serializable)
		case serial, serialDefault:
			p.SerialSessions(serial)
		case bySQL:
			db.Final(c.sql, func(ctx context.Context, db *sql.DB) error { return holds(ctx, db, c.sql) })
		}
	}
}

// holds reports whether the one value of a query is true.
func holds(ctx context.Context, db *sql.DB, query string) error {
	var is sql.NullBool
	switch err := db.QueryRowContext(ctx, query).Scan(&is); {
	case errors.Is(err, sql.ErrNoRows):
		return errors.New("no row: give a query with one value, which is true or false")
	case err != nil:
		return err
	case !is.Valid:
		return errors.New("it is NULL")
	case !is.Bool:
		return errors.New("it is false")
	}
	return nil
}

// failure is what is wrong with the response to a session's step, "" for nothing.
func (f *File) failure(session string, number, of int, r application.Response) string {
	for _, c := range f.Checks {
		switch {
		case c.kind == noFailure && r.Failed(), c.kind == noConflict && r.Failed() && r.Conflict:
			return r.String()
		case c.kind == byResponse && c.session == session && (c.number == number || c.number == 0 && number == of):
			if wrong := c.differs(r); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

// differs says how a response differs from what a check wants.
func (c check) differs(r application.Response) string {
	if c.status != 0 && r.Status != c.status {
		return fmt.Sprintf("%v: the status is not %d", r, c.status)
	}
	var wrong []string
	for _, path := range slices.Sorted(maps.Keys(c.json)) {
		want := c.json[path]
		if got, err := at(r.Body, path); err != nil {
			wrong = append(wrong, err.Error())
		} else if got != want {
			wrong = append(wrong, fmt.Sprintf("%s is %s and not %s", path, got, want))
		}
	}
	return strings.Join(wrong, ", ")
}

// Package spec has the tests of PostgreSQL's isolationtester: files of SQL with sessions, their steps,
// and the orders in which these run.
//
// The format, what a test prints and when, are those of PostgreSQL's documentation of the tester,
// src/test/isolation/README: so what is printed can be compared with what the tester prints.
//
// A file is read by [Read]. [Run] runs its permutations on a [Database]: the model of PostgreSQL
// ([NewModel]), or a server (package server/specs). A file without permutations is a program, too,
// whose orders are explored: [Spec.Explore].
package spec

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Suffix ends the names of files.
const Suffix = ".spec"

// Is reports whether the name is that of a file of this kind.
func Is(name string) bool { return strings.HasSuffix(name, Suffix) }

// Spec is a file.
type Spec struct {
	File         string // as it was named; "" of a text
	Setup        []Block
	Teardown     Block
	Sessions     []*Session
	Permutations []*Permutation
}

// Name is the file's name without directory and suffix.
func (s *Spec) Name() string { return strings.TrimSuffix(filepath.Base(s.File), Suffix) }

// Block is a text of SQL, as it is between the braces; "" where there is none.
type Block struct {
	SQL  string
	Line int
}

// Session is a session, which has a connection.
type Session struct {
	Name     string
	Line     int
	Setup    Block
	Steps    []*Step
	Teardown Block
}

// Step is what a session sends at once.
type Step struct {
	Name    string
	Session int // its place in Spec.Sessions
	Block
}

// Permutation is an order of steps.
type Permutation struct {
	Line    int
	Entries []*Entry
}

// String names the steps.
func (p *Permutation) String() string {
	var names []string
	for _, e := range p.Entries {
		names = append(names, e.Step.Name)
	}
	return strings.Join(names, " ")
}

// Entry is a step in a permutation. It is not reported as completed before its markers allow it.
type Entry struct {
	*Step
	Line    int
	Markers []Marker

	name string // of the step, until it is found
}

// MarkerKind is the kind of a marker.
type MarkerKind uint8

const (
	// Once is (*): the step is reported as waiting when it has been sent.
	Once MarkerKind = iota
	// OtherStep is (step): the step is not reported while that one has not completed.
	OtherStep
	// ForNotices is (step notices n): not before that step's session has got so many notices since
	// this one was sent.
	ForNotices
)

// Marker is a marker of an entry.
type Marker struct {
	Kind    MarkerKind
	Step    *Step
	Notices int

	name string
	line int
}

// Error is a mistake in a file.
type Error struct {
	File    string
	Line    int
	Message string
}

// Error says where the mistake is.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message) }

// Read reads a file. The error is an [*Error] where the file is wrong. The warnings say which steps no
// permutation has.
func Read(name string) (s *Spec, warnings []string, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	return Parse(name, string(text))
}

// Parse is Read of a text.
func Parse(name, text string) (s *Spec, warnings []string, err error) {
	p := &parser{lexer: lexer{name: name, text: text, line: 1}}
	s, err = p.file()
	if err == nil {
		warnings, err = s.link()
	}
	if err != nil {
		return nil, nil, err
	}
	return s, warnings, nil
}

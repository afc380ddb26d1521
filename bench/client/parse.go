// Package client reads client programs of an application from files, and makes
// Explore functions of them.
//
// A client is a directory with a file threadK.in for each session K = 1, 2, …. A line
// of the file is a transaction: its name and its arguments, separated by spaces.
// "several words" in quotation marks and a [list of, words] in brackets are one
// argument each. A database is a directory with a file of initial rows for each table,
// one row a line, columns separated by semicolons. The format is that of the published
// client files (PLDI 2023 artifact, Apache-2.0).
package client

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/txmc/txmc/bench/table"
)

// Client is a client program as its files say.
type Client struct {
	Name     string // of its directory
	Sessions [][]Line
}

// Line is a transaction: its name and its arguments, and where it stands.
type Line struct {
	File  string
	Line  int
	Words []string
}

// Errorf is an error about the line, with its place in front.
func (l Line) Errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", l.File, l.Line, fmt.Errorf(format, args...))
}

// Read reads the client in directory dir of fsys.
func Read(fsys fs.FS, dir string) (*Client, error) {
	c := &Client{Name: path.Base(dir)}
	for k := 1; ; k++ {
		file := path.Join(dir, fmt.Sprintf("thread%d.in", k))
		text, err := fs.ReadFile(fsys, file)
		if errors.Is(err, fs.ErrNotExist) && k > 1 {
			return c, nil
		}
		if err != nil {
			return nil, fmt.Errorf("client %s: %w", dir, err)
		}
		session, err := Parse(file, string(text))
		if err != nil {
			return nil, err
		}
		c.Sessions = append(c.Sessions, session)
	}
}

// Parse reads one session's transactions from the text of its file.
func Parse(file, text string) ([]Line, error) {
	var lines []Line
	n := 0
	for line := range strings.Lines(text) {
		n++
		l := Line{File: file, Line: n}
		words, err := split(strings.TrimSpace(line))
		if err != nil {
			return nil, l.Errorf("%v", err)
		}
		if len(words) > 0 {
			l.Words = words
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// split splits at spaces, but not within quotation marks and brackets. A word
// keeps its brackets, not its quotation marks.
func split(line string) ([]string, error) {
	var words []string
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		var word string
		var ok bool
		switch line[0] {
		case '"':
			if word, line, ok = strings.Cut(line[1:], `"`); !ok {
				return nil, errors.New(`a word that begins with " does not end with one`)
			}
		case '[':
			if word, line, ok = strings.Cut(line, "]"); !ok {
				return nil, errors.New("a list that begins with [ does not end with ]")
			}
			word += "]"
		default:
			end := strings.IndexAny(line, " \t")
			if end < 0 {
				end = len(line)
			}
			words, line = append(words, line[:end]), line[end:]
			continue
		}
		if line != "" && line[0] != ' ' && line[0] != '\t' {
			return nil, fmt.Errorf("a space is missing before %q", line)
		}
		words = append(words, word)
	}
	return words, nil
}

// Database are the initial rows, by the names of their files without ".in".
type Database map[string][]table.Row

// ReadDatabase reads the files that the application's tables start from, in
// directory dir of fsys.
func ReadDatabase(fsys fs.FS, dir string, app *App) (Database, error) {
	rows := Database{}
	for _, s := range app.Schema {
		if s.File == "" || rows[s.File] != nil {
			continue
		}
		file := path.Join(dir, s.File+".in")
		text, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, fmt.Errorf("initial rows of table %s: %w", s.Table, err)
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			row := table.Row(strings.TrimRight(line, "\r\n"))
			if strings.TrimSpace(line) == "" {
				continue
			}
			for _, column := range s.Key {
				if row.Field(column) == "" {
					return nil, fmt.Errorf("%s:%d: the row has no column %d, which is part of its id", file, n, column)
				}
			}
			rows[s.File] = append(rows[s.File], row)
		}
	}
	return rows, nil
}

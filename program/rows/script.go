package rows

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/txmc/txmc/program"
)

// Script is SQL text with its origin, for errors.
type Script struct {
	Name string // the file, or "schema 1", "seed 1" and so on
	Text string
}

// Scripts are what makes a database before any session.
type Scripts struct {
	schema, seed []Script
	err          error // of reading files
}

// Schema adds statements that make the schema.
func (s *Scripts) Schema(sql string) {
	s.schema = append(s.schema, Script{fmt.Sprintf("schema %d", len(s.schema)+1), sql})
}

// Seed adds statements that make the initial rows.
func (s *Scripts) Seed(sql string) {
	s.seed = append(s.seed, Script{fmt.Sprintf("seed %d", len(s.seed)+1), sql})
}

// SchemaFS adds the statements of all files that match a pattern of [fs.Glob], in the
// order of the patterns, then of the files' names. It is called what, for errors.
func (s *Scripts) SchemaFS(what string, fsys fs.FS, patterns ...string) {
	for _, p := range patterns {
		files, err := fs.Glob(fsys, p)
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s: no file matches %q", what, p)
		}
		if err != nil {
			s.err = err
			return
		}
		slices.Sort(files)
		for _, f := range files {
			b, err := fs.ReadFile(fsys, f)
			if err != nil {
				s.err = err
				return
			}
			s.schema = append(s.schema, Script{f, string(b)})
		}
	}
}

// All returns the scripts in the order in which they run: those of the schema before
// those of the seed.
func (s *Scripts) All() ([]Script, error) { return slices.Concat(s.schema, s.seed), s.err }

// SetUp writes the initial rows.
func SetUp(tx *program.Tx, initial map[string]any) {
	for _, k := range slices.Sorted(maps.Keys(initial)) {
		tx.Write(k, initial[k])
	}
}

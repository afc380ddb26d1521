package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/replay"
	"github.com/txmc/txmc/report"
)

// saveNothing is the value of --save that saves nothing.
const saveNothing = "none"

// saver keeps the first violation of each program and level, for txmc replay.
type saver struct {
	dir    string // "" saves nothing
	asked  bool   // the user has named the directory
	tags   string
	maxOps int
	files  map[string]string // by program and level, of the package explored now
}

// newSaver returns the saver of an exploration.
func newSaver(x *explore) *saver {
	s := &saver{dir: x.Save, asked: x.Save != "", tags: x.Tags, maxOps: x.MaxOps}
	if s.dir == saveNothing {
		s.dir = ""
	} else if !s.asked {
		if cache, err := os.UserCacheDir(); err == nil {
			s.dir = filepath.Join(cache, "txmc", "violations")
		}
	}
	s.next()
	return s
}

// next forgets what was saved: another package follows.
func (s *saver) next() { s.files = map[string]string{} }

func place(name, iso string) string { return name + "-" + iso }

// violation saves the line if it is the first of its program and level. That the
// user's cache cannot be written to is nobody's fault.
func (s *saver) violation(p *load.Package, line []byte) error {
	if s.dir == "" {
		return nil
	}
	v := &report.Violation{}
	if err := report.Parse(line, v); err != nil {
		return garbled(err)
	}
	key := place(v.Program, v.Iso)
	if _, saved := s.files[key]; saved {
		return nil
	}
	file, err := s.write(p, v, key)
	if err != nil && s.asked {
		return fmt.Errorf("--save: %w", err)
	}
	s.files[key] = file
	return nil
}

// write replaces the file of a program and level. Packages that have the same
// names are told apart by their paths.
func (s *saver) write(p *load.Package, v *report.Violation, key string) (string, error) {
	v.Explanation = nil // made again in a replay
	data, err := (&replay.File{Dir: p.Dir, Tags: s.tags, MaxOps: s.maxOps, Violation: v}).Encode()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return "", err
	}
	hash := fnv.New32a()
	fmt.Fprintf(hash, "%s", p.Path)
	file := filepath.Join(s.dir, fmt.Sprintf("%s-%08x.json", key, hash.Sum32()))
	temp, err := os.CreateTemp(s.dir, ".saving-")
	if err != nil {
		return "", err
	}
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return file, err
}

// command is what replays the violation of a program and level, "" when none was
// saved.
func (s *saver) command(r *report.Result) string {
	file := s.files[place(r.Program, r.Iso)]
	if file == "" {
		return ""
	}
	return "  replay   txmc replay " + shellWord(file) + "\n\n"
}

// plain are the words that a shell leaves alone.
var plain = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// shellWord writes a file's name for a shell, from the home directory on where
// it is there.
func shellWord(file string) string {
	home, err := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(file, home+string(filepath.Separator)); err == nil && ok && plain.MatchString(rest) {
		return "~/" + rest
	}
	if plain.MatchString(file) {
		return file
	}
	return "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
}

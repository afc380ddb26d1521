package replay

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/txmc/txmc/report"
)

// Saver saves the first violation of each program and level, to be run again.
type Saver struct {
	Dir    string // "" saves nothing
	Forced bool   // that a file cannot be written is an error
	Tags   string // build tags
	MaxOps int

	files map[string]saved // by program and level, of the package explored now
}

// DefaultDir is where violations are saved when the user names no directory; "" when
// there is none.
func DefaultDir() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "txmc", "violations")
}

// Next forgets what was saved: another package follows.
func (s *Saver) Next() { s.files = nil }

func key(name, iso string) string { return name + "-" + iso }

// Save saves the line of a violation if it is the first of its program and level.
// The package is in the directory dir. Save returns the line, with the commands that run
// what was saved again.
func (s *Saver) Save(pkg, dir string, line []byte) ([]byte, error) {
	if s.Dir == "" {
		return line, nil
	}
	v := &report.Violation{}
	if err := report.Parse(line, v); err != nil {
		return line, err
	}
	name := key(v.Program, v.Iso)
	if _, known := s.files[name]; known {
		return line, nil
	}
	file, err := s.write(pkg, dir, v, name)
	if err != nil && s.Forced {
		return line, fmt.Errorf("--save: %w", err)
	}
	if s.files == nil {
		s.files = map[string]saved{}
	}
	s.files[name] = saved{file, v.ServerThatHas()}
	if file == "" {
		return line, nil
	}
	return s.files[name].withCommands(line), nil
}

// saved is a violation that was saved.
type saved struct {
	file     string // "" where it could not be written
	onServer string // the server that can run it, as --dsn has it; "" for none
}

// command runs it again.
func (s saved) command() string { return "txmc replay " + shellWord(s.file) }

// serverCommand runs it on a real server.
func (s saved) serverCommand() string { return s.command() + " --dsn=" + s.onServer }

// withCommands adds the commands to the line, which is an object.
func (s saved) withCommands(line []byte) []byte {
	commands := report.Commands{Replay: s.command()}
	if s.onServer != "" {
		commands.OnServer = s.serverCommand()
	}
	more, err := report.Line(commands)
	end := bytes.LastIndexByte(line, '}')
	if err != nil || end < 0 {
		return line
	}
	return append(append(bytes.Clone(line[:end]), ','), more[1:]...)
}

// write replaces the file of a program and level. Packages that have the same
// names are told apart by their paths.
func (s *Saver) write(pkg, dir string, v *report.Violation, name string) (string, error) {
	v.Explanation = nil // made again in a replay
	data, err := (&File{Dir: dir, Tags: s.Tags, MaxOps: s.MaxOps, Violation: v}).Encode()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(s.Dir, 0o777); err != nil {
		return "", err
	}
	hash := fnv.New32a()
	fmt.Fprintf(hash, "%s", pkg)
	file := filepath.Join(s.Dir, fmt.Sprintf("%s-%08x.json", name, hash.Sum32()))
	temp, err := os.CreateTemp(s.Dir, ".saving-")
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

// Command replays the violation of a result; "" when none was saved.
func (s *Saver) Command(r *report.Result) string {
	if v := s.files[key(r.Program, r.Iso)]; v.file != "" {
		return v.command()
	}
	return ""
}

// ServerCommand runs it on a real server; "" when none was saved, or none can have it.
func (s *Saver) ServerCommand(r *report.Result) string {
	if v := s.files[key(r.Program, r.Iso)]; v.file != "" && v.onServer != "" {
		return v.serverCommand()
	}
	return ""
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

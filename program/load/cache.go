package load

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Built harnesses are kept from one run to the next. Of some it is known from which state of
// the sources they were built (see record). Such a harness is used as it is while the
// sources are in that state. Any other is put where the go command is to write. That command
// leaves a program alone that is up to date, by the build ID in it. A kept harness that is
// out of date only takes room.

// mostKept is how many harnesses are kept; the ones that were used last stay.
const mostKept = 32

// recorded ends the name of the record of a harness, sealed that of its seal.
const recorded, sealed = ".json", ".seal"

// CacheDir is where harnesses are kept when the user names no directory; "" when there is
// no such place.
func CacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "txmc", "harness")
}

// kept is the name under which the package's harness is kept, "" when none is. Harnesses
// that replace each other have one name: of the same directory, with the same functions,
// flags and variables of the go command.
func (p *Package) kept() string {
	if p.tool.cache == "" {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %v\n%s", p.Path, p.Dir, p.tool.env.all, p.tool.env.GOFLAGS, p.tool.repeats, p.source())
	for _, f := range p.tool.flags {
		if !strings.HasPrefix(f, "-modfile=") { // a temporary file
			fmt.Fprintln(h, f)
		}
	}
	return filepath.Join(p.tool.cache, fmt.Sprintf("%x", h.Sum(nil)[:16]))
}

// ofState is the name of a harness that was built in a state of its sources; "" is an unknown one.
func ofState(kept, state string) string {
	if state == "" {
		return kept
	}
	return kept + "-" + state
}

// lend puts the kept harness where the go command is to write, and returns the file
// that it put there. It returns nil when there is no harness or it cannot be read. Then
// the go command builds all.
func lend(kept, binary string) os.FileInfo {
	if name := latest(kept); kept == "" || !sound(kept, name) || copyProgram(name, binary) != nil {
		os.Remove(binary)
		return nil
	}
	lent, err := os.Stat(binary)
	if err != nil {
		return nil
	}
	return lent
}

// latest is the file of a harness, of whatever state, that was used last.
func latest(kept string) string {
	name, used := kept, time.Time{}
	for _, n := range states(kept) {
		if info, err := os.Stat(n); err == nil && info.ModTime().After(used) {
			name, used = n, info.ModTime()
		}
	}
	return name
}

// states lists the files of a harness.
func states(kept string) []string {
	names, _ := filepath.Glob(kept + "-*") // hexadecimal digits below a directory of ours
	return append(names, kept)
}

// keep keeps a harness that was built in a state. It takes the place of those of other states.
// A harness that was lent is kept already. The oldest are removed if there are too many. To
// fail here is no error: the next run takes longer.
func keep(kept, state, binary string, lent os.FileInfo) {
	built, err := os.Stat(binary)
	if kept == "" || err != nil {
		return
	}
	name := ofState(kept, state)
	if lent != nil && os.SameFile(lent, built) && lent.ModTime().Equal(built.ModTime()) {
		if now := time.Now(); os.Chtimes(name, now, now) == nil {
			return
		}
	}
	put(name, func(temporary string) error { return copyProgram(binary, temporary) })
	if seal := sealOf(name); seal != "" {
		put(kept+sealed, func(temporary string) error { return os.WriteFile(temporary, []byte(seal), 0o600) })
	}
	for _, n := range states(kept) {
		if n != name {
			os.Remove(n)
		}
	}
	removeOldest(filepath.Dir(kept))
}

// sealOf tells a harness that was kept from a damaged one, as the go command does not: it reads
// no more of it than the build ID. "" when it cannot be read.
func sealOf(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	n, err := io.Copy(h, f)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %d %08x", filepath.Base(name), n, h.Sum32())
}

// sound reports whether a file is the harness that was kept last.
func sound(kept, name string) bool {
	seal, err := os.ReadFile(kept + sealed)
	if err != nil || string(seal) != sealOf(name) {
		return false
	}
	now := time.Now()
	os.Chtimes(kept+sealed, now, now)
	return true
}

// unchanged looks for a kept harness that was built in the present state of its sources. If
// there is one, it is put where it is to run.
func unchanged(kept, state, binary string) bool {
	if state == "" {
		return false
	}
	name := ofState(kept, state)
	if !sound(kept, name) {
		return false
	}
	if os.Link(name, binary) != nil && copyProgram(name, binary) != nil {
		os.Remove(binary)
		return false
	}
	now := time.Now()
	os.Chtimes(name, now, now)
	return true
}

// copyProgram copies an executable file.
func copyProgram(from, to string) (err error) {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Chmod(0o700), w.Close())
}

// removeOldest removes the harnesses that were not used for longest, and of their records and seals as many.
func removeOldest(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	used := map[string]map[string]time.Time{"": {}, recorded: {}, sealed: {}} // by what it is
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			if of := used[filepath.Ext(e.Name())]; of != nil {
				of[e.Name()] = info.ModTime()
			}
		}
	}
	for _, of := range used {
		names := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return of[b].Compare(of[a]) })
		for _, name := range names[min(mostKept, len(names)):] {
			os.Remove(filepath.Join(dir, name))
		}
	}
}

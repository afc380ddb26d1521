package load

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Built harnesses are kept from one run to the next. The go command decides whether a
// kept one is still what it would build: it is put where the go command is to write,
// which leaves a program alone that is up to date, by the build ID in it. So nothing is
// compared here, and a kept harness that is out of date only takes room.

// mostKept is how many harnesses are kept; the ones that were used last stay.
const mostKept = 32

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
// that replace each other have one name: of the same directory, with the same functions
// and flags.
func (p *Package) kept() string {
	if p.tool.cache == "" {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %v\n%s", p.Path, p.Dir, p.tool.env.GOVERSION, p.tool.env.GOFLAGS, p.tool.repeats, p.source())
	for _, f := range p.tool.flags {
		if !strings.HasPrefix(f, "-modfile=") { // a temporary file
			fmt.Fprintln(h, f)
		}
	}
	return filepath.Join(p.tool.cache, fmt.Sprintf("%x", h.Sum(nil)[:16]))
}

// lend puts the kept harness where the go command is to write, and returns what it put
// there; nil when there is none or it cannot be read: then the go command builds all.
func lend(kept, binary string) os.FileInfo {
	if kept == "" || copyProgram(kept, binary) != nil {
		os.Remove(binary)
		return nil
	}
	lent, err := os.Stat(binary)
	if err != nil {
		return nil
	}
	return lent
}

// keep keeps a harness, unless it is the one that was lent, and removes the oldest if
// there are too many. That it cannot be kept is no error: the next run takes longer.
func keep(kept, binary string, lent os.FileInfo) {
	built, err := os.Stat(binary)
	if kept == "" || err != nil {
		return
	}
	if lent != nil && os.SameFile(lent, built) && lent.ModTime().Equal(built.ModTime()) {
		now := time.Now()
		os.Chtimes(kept, now, now)
		return
	}
	dir := filepath.Dir(kept)
	if os.MkdirAll(dir, 0o777) != nil {
		return
	}
	// Another process may read or write it at the same time.
	temporary, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return
	}
	temporary.Close()
	if copyProgram(binary, temporary.Name()) != nil || os.Rename(temporary.Name(), kept) != nil {
		os.Remove(temporary.Name())
	}
	removeOldest(dir)
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

// removeOldest removes the harnesses that were not used for longest.
func removeOldest(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= mostKept {
		return
	}
	used := map[string]time.Time{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			used[e.Name()] = info.ModTime()
		}
	}
	names := slices.SortedFunc(maps.Keys(used), func(a, b string) int { return used[b].Compare(used[a]) })
	for _, name := range names[min(mostKept, len(names)):] {
		os.Remove(filepath.Join(dir, name))
	}
}

// Checksums of the cache of compiled modules. wazero runs the files that it finds there, and
// looks only at a part of each. So a file that changed since it was first seen is removed, and
// the module is compiled again. wazero has a directory for each of its versions, and files of the
// same name in them. A process checks those of its own version: it runs no others, and the others
// need not be read.

package engine

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/txmc/txmc/pg/engine/pglite"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checkCompiled notes the checksums of the files below dir that have none in the directory sums. With verify it
// checks the others and removes damaged files. It gives the names of these.
func checkCompiled(dir, sums string, verify bool) (damaged []string, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return ignoreMissing(err) // nothing yet, or removed by another process
		}
		if !d.Type().IsRegular() || strings.HasSuffix(name, ".tmp") { // wazero is writing these
			return nil
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		sum := filepath.Join(sums, rel) // versions have files of the same name
		if _, err := os.Stat(sum); err == nil && !verify {
			return nil
		}
		whole, err := checkFile(name, sum)
		if err != nil || whole {
			return err
		}
		damaged = append(damaged, name)
		return os.Remove(name)
	})
	return damaged, err
}

// checkFile reports whether a file has the checksum that is noted in a second file, with the time of the first one.
// Where nothing is noted, or another time, the checksum is noted anew: processes that compile a module at the same
// time replace each other's files.
func checkFile(name, sum string) (bool, error) {
	st, err := os.Stat(name)
	if err != nil {
		return true, ignoreMissing(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return true, ignoreMissing(err)
	}
	written := fmt.Sprintf("%d ", st.ModTime().UnixNano())
	got := fmt.Sprintf("%s%d %08x", written, len(b), crc32.Checksum(b, castagnoli))
	noted, err := os.ReadFile(sum)
	switch {
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return true, err
	case !strings.HasPrefix(string(noted), written):
		return true, pglite.WriteFile(sum, []byte(got))
	case string(noted) == got:
		return true, nil
	}
	return false, os.Remove(sum)
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

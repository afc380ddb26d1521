package rows

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Migrations are the scripts of SQL at a path, in their order: of a file, of all files "*.sql" below a directory,
// or of what matches a pattern of [filepath.Glob]. Files whose names begin with numbers are in the order of these.
// The way back is left out, as [Files] does, and so are files "*.down.sql", unless one is named itself.
func Migrations(path string) (list []Script, err error) {
	names := []string{path}
	if _, err := os.Stat(path); err != nil && strings.ContainsAny(path, "*?[") {
		if names, err = filepath.Glob(path); err == nil && len(names) == 0 {
			err = fmt.Errorf("no file matches %q", path)
		}
		if err != nil {
			return nil, err
		}
	}
	var files []string
	for _, name := range names {
		more, err := below(name, name == path)
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	slices.SortStableFunc(files, inOrder)
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		list = append(list, Script{Name: f, Text: forwards(string(b))})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no file below %s is SQL: none ends with .sql", path)
	}
	return list, nil
}

// below are the files of SQL below a directory, or a file itself; of others than those that are named the
// ways back are left out.
func below(name string, named bool) (files []string, err error) {
	err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case named && path == name, filepath.Ext(path) == ".sql" && !strings.HasSuffix(path, ".down.sql"):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// inOrder orders files by directory, then by the numbers with which their names begin, then by name.
func inOrder(a, b string) int {
	return cmp.Or(cmp.Compare(filepath.Dir(a), filepath.Dir(b)), cmp.Compare(leading(a), leading(b)), cmp.Compare(a, b))
}

// leading is the number with which a file's name begins; 0 without one.
func leading(path string) uint64 {
	name := filepath.Base(path)
	digits := len(name) - len(strings.TrimLeft(name, "0123456789"))
	n, _ := strconv.ParseUint(name[:digits], 10, 64)
	return n
}

package rows

import (
	"cmp"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Migrations are the scripts of SQL at a path, in their order: of a file, of all files "*.sql" below a directory,
// or of what matches a pattern of [filepath.Glob]. Files whose names begin with numbers are in the order of these;
// a name may begin with V before the number, as Flyway's do, of which those with R come last. The way back is left out, as [Files]
// does, and so are files "*.down.sql", "*_down.sql", "*.undo.sql", "down.sql" and Flyway's with U, unless one is named itself.
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
		case named && path == name, filepath.Ext(path) == ".sql" && !back(path):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// undo matches the names of Flyway's ways back.
var undo = regexp.MustCompile(`^U[0-9][0-9._]*__`)

// back reports whether a file is a way back by its name.
func back(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return name == "down.sql" || strings.HasSuffix(name, ".down.sql") || strings.HasSuffix(name, "_down.sql") || strings.HasSuffix(name, ".undo.sql") ||
		undo.MatchString(filepath.Base(path)) || strings.EqualFold(filepath.Base(filepath.Dir(path)), "down")
}

// inOrder orders files by directory, then by the numbers with which their names begin, then by name.
func inOrder(a, b string) int {
	return cmp.Or(cmp.Compare(filepath.Dir(a), filepath.Dir(b)), slices.Compare(leading(a), leading(b)), cmp.Compare(a, b))
}

// version matches the number with which the name of a migration begins; repeated is of those that Flyway repeats.
var version, repeated = regexp.MustCompile(`^(?:[vV])?([0-9]+(?:\.[0-9]+|_[0-9]+)*)`), regexp.MustCompile(`^R__`)

// leading are the numbers with which a file's name begins, as 1 and 2 of V1.2__name.sql; none without one.
func leading(path string) (list []uint64) {
	name := filepath.Base(path)
	if repeated.MatchString(name) {
		return []uint64{math.MaxUint64}
	}
	m := version.FindStringSubmatch(name)
	if m == nil {
		return nil
	}
	for _, digits := range strings.FieldsFunc(m[1], func(r rune) bool { return r == '.' || r == '_' }) {
		n, _ := strconv.ParseUint(digits, 10, 64)
		list = append(list, n)
	}
	return list
}

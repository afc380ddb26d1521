package overlay

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// UnknownError says that the sources of a Go are not those that the edits are made
// for.
type UnknownError struct {
	Version string // such as go1.27
	Err     error
}

// Error says what stays as it is.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("%s is not known to the overlay that makes code repeat itself, which is for %s: %v", e.Version, Releases, e.Err)
}

// Unwrap returns what was found.
func (e *UnknownError) Unwrap() error { return e.Err }

// Files makes the overlay for the Go of a directory: the contents of the files by
// their names. The error of a Go that is not known is an [*UnknownError].
func Files(goroot, version string) (map[string][]byte, error) {
	files := map[string][]byte{}
	name := func(path string) string { return filepath.Join(goroot, "src", filepath.FromSlash(path)) }
	for _, c := range slices.Concat(changes, fileChanges) {
		source, err := os.ReadFile(name(c.file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("cannot read the sources of %s: %w", version, err)
		}
		if err != nil {
			return nil, &UnknownError{version, err}
		}
		changed, err := c.apply(string(source))
		if err != nil {
			return nil, &UnknownError{version, err}
		}
		files[name(c.file)] = []byte(changed)
	}
	for path, source := range added {
		if _, err := os.Lstat(name(path + "/" + addedName)); err == nil {
			return nil, &UnknownError{version, fmt.Errorf("it has a file %s/%s", path, addedName)}
		}
		files[name(path+"/"+addedName)] = []byte(source)
	}
	return files, nil
}

// Write writes files below a directory and returns the names that they have there.
func Write(dir string, files map[string][]byte) (map[string]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the directory of the overlay: %w", err)
	}
	replace := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sum := sha256.Sum256(append([]byte(name+"\x00"), files[name]...))
		to := filepath.Join(dir, hex.EncodeToString(sum[:6])+"-"+filepath.Base(name))
		if err := os.WriteFile(to, files[name], 0o666); err != nil {
			return nil, fmt.Errorf("cannot write the overlay: %w", err)
		}
		replace[name] = to
	}
	return replace, nil
}

// JSON is the file that the go command reads.
func JSON(replace map[string]string) ([]byte, error) {
	data, err := json.MarshalIndent(struct{ Replace map[string]string }{replace}, "", "\t")
	return append(data, '\n'), err
}

package load

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/txmc/txmc/program/overlay"
)

// repeatable adds the files of package overlay to the tool's overlay, when that is
// wanted. It returns a warning where the installed Go does not have it.
func (t *tool) repeatable(ctx context.Context, wanted bool) (warning string, err error) {
	if !wanted {
		return "", nil
	}
	replace, err := t.repeating()
	var unknown *overlay.UnknownError
	switch {
	case errors.As(err, &unknown):
		return fmt.Sprintf("%v; the clock, timers, random numbers, map order and select stay as they are", err), nil
	case err != nil:
		return "", err
	}
	for from := range replace {
		if _, users := t.overlay[from]; users {
			return fmt.Sprintf("the overlay that GOFLAGS names replaces %s: the clock, timers, random numbers, map order and select stay as they are", from), nil
		}
	}
	maps.Copy(t.overlay, replace)
	t.repeats = true
	return "", ctx.Err()
}

// repeating writes the overlay.
func (t *tool) repeating() (map[string]string, error) {
	root, err := t.reachable()
	if err != nil {
		return nil, err
	}
	files, err := overlay.Files(root, t.env.GOVERSION)
	if err != nil {
		return nil, err
	}
	return overlay.Write(filepath.Join(t.temp, "repeat"), files)
}

// reachable is a name of the Go's directory below which files can be replaced. A Go
// that the go command has fetched itself is in the module cache, where it replaces
// none: it is used by the name of a link.
func (t *tool) reachable() (string, error) {
	if !inside(t.env.GOMODCACHE, t.env.GOROOT) {
		return t.env.GOROOT, nil
	}
	link := filepath.Join(t.temp, "goroot")
	if err := os.Symlink(t.env.GOROOT, link); err != nil {
		return "", &overlay.UnknownError{Version: t.env.GOVERSION, Err: fmt.Errorf("it is in the module cache, where no file can be replaced: %w", err)}
	}
	t.root = link
	return link, nil
}

// inside reports whether a path is below a directory.
func inside(dir, path string) bool {
	return dir != "" && strings.HasPrefix(path, dir+string(filepath.Separator))
}

// WriteOverlay writes the overlay into a directory, "" for one in the user's cache. It is for
// the version of Go that is used in the current directory. It returns the name of the file
// for the go command.
func WriteOverlay(ctx context.Context, dir string) (string, error) {
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("there is no cache directory: %w", err)
		}
		dir = filepath.Join(cache, "txmc", "overlay")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "txmc-")
	if err != nil {
		return "", fmt.Errorf("cannot make a temporary directory: %w", err)
	}
	defer os.RemoveAll(temp)
	t, err := newTool(ctx, Config{Temp: temp})
	if err != nil {
		return "", err
	}
	if inside(t.env.GOMODCACHE, t.env.GOROOT) {
		return "", fmt.Errorf("%s is in the module cache, where the go command replaces no files: install it elsewhere", t.env.GOVERSION)
	}
	files, err := overlay.Files(t.env.GOROOT, t.env.GOVERSION)
	if err != nil {
		return "", err
	}
	replace, err := overlay.Write(dir, files)
	if err != nil {
		return "", err
	}
	maps.Copy(replace, t.overlay) // the user's own
	data, err := overlay.JSON(replace)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, data, 0o666)
}

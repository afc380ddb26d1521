package recorded

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/txmc/txmc/history"
)

// Find lists the histories at the paths: files, folders of logs, and, in other
// folders, all files and folders of logs whose format is known, or is the given
// one. What is named and cannot be found out is handed to failed.
func Find(paths []string, format *history.Format, failed func(path string, err error)) ([]string, error) {
	var list []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			failed(path, err)
			continue
		}
		if !info.IsDir() || format != nil && format.Folder() {
			list = append(list, path)
			continue
		}
		more, err := within(path, format)
		if err != nil {
			return nil, err
		}
		if len(more) == 0 {
			failed(path, fmt.Errorf("%s: no history in this folder", path))
		}
		list = append(list, more...)
	}
	return list, nil
}

// within looks through a folder.
func within(dir string, format *history.Format) (list []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() && !d.Type().IsRegular() && d.Type() != fs.ModeSymlink {
			return nil // to open a pipe would wait for who writes to it
		}
		found, err := history.Detect(path)
		if err != nil || format != nil && found != format {
			return nil // not ours
		}
		list = append(list, path)
		if d.IsDir() {
			return filepath.SkipDir
		}
		return nil
	})
	return list, err
}

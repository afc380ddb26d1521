package judge

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/format"
)

// Find lists the histories at the paths. These are files and folders of logs. In other
// folders they are all files and folders of logs whose format is known, or is the given
// one. A named path that cannot be found out is handed to failed. A file of those
// folders whose format is not known is handed to other, which may be nil.
func Find(paths []string, as *format.Format, failed func(path string, err error), other func(path string)) ([]string, error) {
	var list []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			if path == "-" {
				err = errors.New("-: what comes by a pipe is not read, as histories are read twice: write it to a file first")
			}
			failed(path, err)
			continue
		}
		if !info.IsDir() || as != nil && as.Folder() {
			list = append(list, path)
			continue
		}
		more, err := within(path, as, other)
		if err != nil {
			return nil, err
		}
		if len(more) == 0 {
			failed(path, history.Errorf(path, "no history in this folder"))
		}
		list = append(list, more...)
	}
	return list, nil
}

// within looks through a folder.
func within(dir string, as *format.Format, other func(path string)) (list []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		found, err := format.Detect(path)
		if err != nil && !d.IsDir() && other != nil {
			other(path)
		}
		if err != nil || as != nil && found != as {
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

// packed is about how much smaller compression makes a history.
const packed = 10

// Size is about how large a history is, in bytes of its files without compression;
// 0 when it cannot be looked at.
func Size(path string) int64 {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return 0
	case info.IsDir():
		var size int64
		for _, dir := range []string{path, filepath.Join(path, "json")} {
			logs, _ := os.ReadDir(dir)
			for _, d := range logs {
				if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
					size += info.Size()
				}
			}
		}
		return size
	case format.Compressed(path):
		return packed * info.Size()
	}
	return info.Size()
}

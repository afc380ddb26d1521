// The files that come with the server: its libraries, its catalogs' sources, time zones, and all extensions.

package pglite

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/txmc/txmc/pg/engine/vfs"
)

// Root is where the server lies in its file system.
const Root = "/pglite"

var tableEntry = regexp.MustCompile(`\{filename:"([^"]+)",start:(\d+),end:(\d+)\}`)

// Files are the package's files as the server sees them, without a data directory.
func (p *Package) Files() (*vfs.Tree, error) {
	t := vfs.NewTree()
	t.Add("/dev/null", &vfs.File{Kind: vfs.Null, Mode: 0o666})
	t.Add("/dev/urandom", &vfs.File{Kind: vfs.Random, Mode: 0o666})
	for _, dir := range []string{"/dev/shm", "/tmp", "/home/postgres"} {
		t.Add(dir, &vfs.File{Kind: vfs.Dir, Mode: 0o777})
	}
	if err := p.addData(t); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(entrySHA256)) {
		if strings.HasSuffix(name, ".tar.gz") {
			if err := p.addExtension(t, name); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return t, nil
}

// addData adds the files of pglite.data, whose names and places are in the package's script.
func (p *Package) addData(t *vfs.Tree) error {
	script, err := p.Read("pglite.js")
	if err != nil {
		return err
	}
	data, err := p.Read("pglite.data")
	if err != nil {
		return err
	}
	entries := tableEntry.FindAllSubmatch(script, -1)
	if len(entries) == 0 {
		return errors.New("pglite.js has no table of files")
	}
	for _, e := range entries {
		from, _ := strconv.Atoi(string(e[2]))
		to, _ := strconv.Atoi(string(e[3]))
		if from > to || to > len(data) {
			return fmt.Errorf("pglite.js: %s lies outside of pglite.data", e[1])
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(string(e[1]), Root+"/bin/") {
			mode = 0o755
		}
		t.Add(string(e[1]), vfs.NewFile(mode, data[from:to]))
	}
	return nil
}

func (p *Package) addExtension(t *vfs.Tree, name string) error {
	b, err := p.Read(name)
	if err != nil {
		return err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		t.Add(path.Join(Root, h.Name), vfs.NewFile(fs.FileMode(h.Mode&0o777), data))
	}
}

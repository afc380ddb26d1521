package cluster

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/txmc/txmc/program"
)

// A program may need files beside its binary: one in SQL those of PostgreSQL's package. The
// coordinator's machine has them. They come to the workers as the binary does, so that a worker
// needs nothing but txmc.

// bring gives the cluster the files that the program needs, if it does not have them.
func (r *running) bring(ctx context.Context, n *program.Needed) error {
	if n == nil || r.job.Files != nil {
		return nil
	}
	archive, err := os.CreateTemp(os.Getenv("GOTMPDIR"), "txmc-files-")
	if err != nil {
		return err
	}
	r.archive = archive.Name()
	if err := errors.Join(pack(archive, n.Dir), archive.Close()); err != nil {
		return fmt.Errorf("the files that the program needs: %w", err)
	}
	hash, err := hashOf(r.archive)
	if err != nil {
		return err
	}
	r.job.Files = &files{*n, hash}
	return r.prepare(ctx)
}

// uploadFiles puts the archive into the object store, if there is one.
func (r *running) uploadFiles(ctx context.Context) error {
	if r.job.Files == nil {
		return nil
	}
	return r.upload(ctx, r.archive, r.job.Files.Hash)
}

// pack writes the files of a directory. The archive depends on their names and contents alone.
func pack(to io.Writer, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	out := tar.NewWriter(to)
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err == nil {
			err = out.WriteHeader(&tar.Header{Name: e.Name(), Mode: 0o600, Size: int64(len(data))})
		}
		if err == nil {
			_, err = out.Write(data)
		}
		if err != nil {
			return err
		}
	}
	return out.Close()
}

// unpack writes the files of an archive into a directory, all or none.
func unpack(archive, dir string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	temp, err := os.MkdirTemp(filepath.Dir(dir), "unpack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	for in := tar.NewReader(f); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if h.Name != filepath.Base(h.Name) {
			return fmt.Errorf("an archive has a file %q, which is in another directory", h.Name)
		}
		data, err := io.ReadAll(in)
		if err == nil {
			err = os.WriteFile(filepath.Join(temp, h.Name), data, 0o600)
		}
		if err != nil {
			return err
		}
	}
	err = os.Rename(temp, dir)
	if errors.Is(err, fs.ErrExist) {
		return nil // another worker was faster
	}
	return err
}

// environment is what a harness has in its environment beside the worker's own. It names the
// directory with the files that the program needs, and the place for what is made of them.
func (w *Worker) environment(ctx context.Context, f *files) (env []string, err error) {
	if _, err := os.UserCacheDir(); err != nil {
		// os.UserCacheDir is the same directory by either variable, whatever the system.
		env = append(env, "HOME="+w.dir, "XDG_CACHE_HOME="+filepath.Join(w.dir, "Library", "Caches"))
	}
	if f == nil || os.Getenv(f.Variable) != "" {
		return env, nil
	}
	if info, err := os.Stat(f.Dir); err == nil && info.IsDir() { // this is the coordinator's machine
		return append(env, f.Variable+"="+f.Dir), nil
	}
	dir := filepath.Join(w.dir, "files-"+f.Hash)
	if _, err := os.Stat(dir); err != nil {
		archive := w.near.at(f.Hash)
		if archive == "" {
			archive = dir + "-" + w.name + ".tar"
			defer os.Remove(archive)
			if err := w.queue.download(ctx, archive, f.Hash); err != nil {
				return nil, err
			}
		}
		if err := unpack(archive, dir); err != nil {
			return nil, err
		}
	}
	now := time.Now()
	os.Chtimes(dir, now, now) // see prune
	return append(env, f.Variable+"="+dir), nil
}

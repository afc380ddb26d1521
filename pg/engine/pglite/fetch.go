// Getting the tarball from npm's client, checking it, and unpacking what is used of it.

package pglite

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// npmPack lets npm put the tarball into dir. npm knows the user's registry and how to reach it.
func npmPack(ctx context.Context, dir string, progress io.Writer) (string, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", errors.New("npm is not installed")
	}
	if progress != nil {
		fmt.Fprintf(progress, "getting PostgreSQL for WebAssembly with npm (%s %s, 9 MB, once per machine)\n", Name, Version)
	}
	cmd := exec.CommandContext(ctx, npm, "pack", Name+"@"+Version, "--pack-destination", dir, "--silent")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("npm pack: %w: %s", err, lastLine(out))
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("npm pack wrote %d files", len(found))
	}
	return found[0], nil
}

func lastLine(b []byte) string {
	s := strings.TrimSpace(string(b))
	return s[strings.LastIndexByte(s, '\n')+1:]
}

func checkTarball(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("the package's file: %w", err)
	}
	defer f.Close()
	h := sha512.New()
	if _, err := io.Copy(h, f); err != nil {
		return fmt.Errorf("the package's file: %w", err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != tarballSHA512 {
		return &DamagedError{file, tarballSHA512, got}
	}
	return nil
}

// unpack writes the tarball's files that are used into the cache.
func (p *Package) unpack(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return err
	}
	left := len(entrySHA256)
	for t := tar.NewReader(z); left > 0; {
		h, err := t.Next()
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		dir, name := path.Split(h.Name)
		if dir != "package/dist/" || entrySHA256[name] == "" {
			continue
		}
		if err := p.unpackEntry(name, t); err != nil {
			return err
		}
		left--
	}
	return nil
}

func (p *Package) unpackEntry(name string, r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(b)
	if got := hex.EncodeToString(sum[:]); got != entrySHA256[name] {
		return &DamagedError{name, entrySHA256[name], got}
	}
	return WriteFile(filepath.Join(p.dir, name), b)
}

// WriteFile writes a file of the cache: readers find the old content or the new one, whole.
func WriteFile(name string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("writing the cache: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".tmp-*")
	if err != nil {
		return fmt.Errorf("writing the cache: %w", err)
	}
	err = errors.Join(f.Close(), write(f.Name(), b))
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("writing the cache: %w", err)
	}
	return nil
}

func write(name string, b []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

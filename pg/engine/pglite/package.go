// Package pglite gets PostgreSQL compiled to WebAssembly: the npm package @electric-sql/pglite.
//
// The package is got once per machine, from a file that the user names or from npm's client, is checked
// against the checksums in pins.go and unpacked into the cache directory. Each use checks the unpacked
// files again; what is damaged is got again. Files are written under another name and renamed, so that
// processes that do it at the same time do not disturb each other.
package pglite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// EnvFile is the variable that names the package's tarball on machines without npm or network, or
// a directory with the unpacked package.
const EnvFile = "TXMC_PGLITE"

// Options say where the package comes from and where it is kept.
type Options struct {
	File     string    // the package's tarball, or a directory with its files; empty: npm gets it
	CacheDir string    // where it is kept
	Progress io.Writer // is told what takes long; nil: nobody
}

// DefaultOptions are TXMC_PGLITE and the user's cache directory.
func DefaultOptions() (Options, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return Options{}, fmt.Errorf("no cache directory: %w", err)
	}
	return Options{File: os.Getenv(EnvFile), CacheDir: filepath.Join(dir, "txmc")}, nil
}

// MissingError says that the package cannot be had, and what to do about it.
type MissingError struct{ Reason error }

// Error says what is missing, and what to do.
func (e *MissingError) Error() string {
	return fmt.Sprintf("PostgreSQL for WebAssembly is not on this machine and npm did not get it: %v; "+
		"install npm (it comes with Node.js) and connect to the network once, or run \"npm pack %s@%s\" on another machine, "+
		"bring the file here and set %s=FILE", e.Reason, Name, Version, EnvFile)
}

// Unwrap returns the reason.
func (e *MissingError) Unwrap() error { return e.Reason }

// DamagedError says that a file is not the package, or not a whole one.
type DamagedError struct{ File, Want, Got string }

// Error says what is damaged, and what to do.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s is not %s %s: its checksum is %.16s…, not %.16s…; get it with \"npm pack %s@%s\"",
		e.File, Name, Version, e.Got, e.Want, Name, Version)
}

// Package is the unpacked package.
type Package struct {
	dir   string
	given bool // by the user: nothing is written there
}

// Dir is the directory that has the package's files, and nothing else that counts.
func (p *Package) Dir() string { return p.dir }

// Open gets the package, from the cache if it is there.
func Open(ctx context.Context, o Options) (*Package, error) {
	p := &Package{dir: filepath.Join(o.CacheDir, "pglite-"+Version)}
	if st, err := os.Stat(o.File); err == nil && st.IsDir() {
		p.dir, p.given = o.File, true
		if !p.whole() {
			return nil, fmt.Errorf("%s has not all files of %s %s: let %s name the package's file, which \"npm pack %s@%s\" gets", p.dir, Name, Version, EnvFile, Name, Version)
		}
		return p, nil
	}
	if o.File != "" {
		if err := checkTarball(o.File); err != nil {
			return nil, err
		}
	}
	if p.whole() {
		return p, nil
	}
	if err := p.fill(ctx, o); err != nil {
		return nil, err
	}
	return p, nil
}

// whole reports whether every file is there. Their content is checked when it is read.
func (p *Package) whole() bool {
	for name := range entrySHA256 {
		if st, err := os.Stat(filepath.Join(p.dir, name)); err != nil || st.Size() == 0 {
			return false
		}
	}
	return true
}

func (p *Package) fill(ctx context.Context, o Options) error {
	if o.File != "" {
		return p.unpack(o.File)
	}
	tmp, err := os.MkdirTemp("", "txmc-pglite-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	file, err := npmPack(ctx, tmp, o.Progress)
	if err != nil {
		return &MissingError{err}
	}
	if err := checkTarball(file); err != nil {
		return err
	}
	return p.unpack(file)
}

// ErrCacheDamaged says that a file in the cache is not what was written there.
var ErrCacheDamaged = errors.New("the cache is damaged")

// Read gives a file of the package.
func (p *Package) Read(name string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	if got := hex.EncodeToString(sum[:]); got != entrySHA256[name] {
		return nil, fmt.Errorf("%w: %s", ErrCacheDamaged, filepath.Join(p.dir, name))
	}
	return b, nil
}

// Forget removes the unpacked files, so that the next Open gets them again.
func (p *Package) Forget() error {
	if p.given {
		return fmt.Errorf("%w: %s, which %s names", ErrCacheDamaged, p.dir, EnvFile)
	}
	return os.RemoveAll(p.dir)
}

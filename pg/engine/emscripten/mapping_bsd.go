//go:build unix && !linux

// Unix without files in memory: a file whose name is removed at once, mapped again to go back.

package emscripten

import (
	"errors"
	"os"
)

func anonymousFile() (*os.File, error) {
	f, err := os.CreateTemp("", "txmc-memory-")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

type tracker struct{}

func (*tracker) close() {}

type pageRegion struct{ start, end uint64 }

// own is not to be had.
func (*tracker) own([]byte, int) ([]pageRegion, bool) { return nil, false }

// putBack is not to be had: the image is mapped again.
func (m *memory) putBack(*image, int) error { return errors.ErrUnsupported }

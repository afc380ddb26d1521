package emscripten

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/txmc/txmc/program/deadlinetest"
)

const testSize = 16 * pageSize

func testMemory(t *rapid.T) *memory {
	m, err := newMemory()
	if err != nil {
		t.Fatal(err)
	}
	m.Reallocate(testSize)
	return m
}

func scribble(t *rapid.T, m *memory, mirror []byte) {
	for range rapid.IntRange(1, 20).Draw(t, "writes") {
		at := rapid.IntRange(0, len(m.bytes)-9000).Draw(t, "at")
		b := bytes.Repeat([]byte{rapid.Byte().Draw(t, "byte")}, rapid.SampledFrom([]int{1, 100, 9000}).Draw(t, "size"))
		copy(m.bytes[at:], b)
		copy(mirror[at:], b)
	}
}

// TestMemoryGoesBack holds memories with images against byte slices that are copied whole.
func TestMemoryGoesBack(t *testing.T) {
	for _, scan := range []bool{true, false}[:deadlinetest.Of(2, 1)] {
		rapid.Check(t, func(t *rapid.T) { goesBack(t, scan) })
	}
}

func goesBack(t *rapid.T, scan bool) {
	m := testMemory(t)
	defer m.Free()
	m.tracker.noScan = !scan
	mirror := make([]byte, testSize)
	scribble(t, m, mirror)
	first, err := newImage(m)
	if err != nil {
		t.Fatal(err)
	}
	defer first.close()
	kept := map[*image][]byte{first: bytes.Clone(mirror)}
	images := []*image{first}
	for range rapid.IntRange(1, 6).Draw(t, "steps") {
		scribble(t, m, mirror)
		if rapid.Bool().Draw(t, "keep") && len(m.bytes) == testSize {
			image, err := newImage(m)
			if err != nil {
				t.Fatal(err)
			}
			defer image.close()
			kept[image] = bytes.Clone(mirror)
			images = append(images, image)
		}
		if rapid.Bool().Draw(t, "grow") {
			m.Reallocate(testSize + pageSize)
			m.bytes[testSize+5] = 7
		}
		image := rapid.SampledFrom(images).Draw(t, "image")
		if err := m.restore(image); err != nil {
			t.Fatal(err)
		}
		copy(mirror, kept[image])
		if !bytes.Equal(m.bytes[:testSize], mirror) {
			t.Fatal("memory differs from what was kept")
		}
		if len(bytes.Trim(m.bytes[testSize:], "\x00")) > 0 {
			t.Fatal("memory behind the image is not zero")
		}
		m.Reallocate(testSize)
	}
}

func TestUnion(t *testing.T) {
	got := union([]span{{8, 12}, {0, 4}, {4, 6}, {10, 14}, {20, 24}})
	if want := []span{{0, 6}, {8, 14}, {20, 24}}; len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("got %v, want %v", got, want)
	}
}

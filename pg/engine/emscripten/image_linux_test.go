package emscripten

import (
	"bytes"
	"testing"
)

// An image of a process that has changed little keeps only the changes, above the image before.
// It keeps them also when the image before is closed. An image keeps all when much has
// changed, or in many places. It also keeps all where there are many other images.
func TestImagesKeepWhatDiffers(t *testing.T) {
	const pages = 1024
	m, err := newMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Free()
	m.Reallocate(pages * imagePage)
	for at := 0; at < pages/2*imagePage; at += imagePage {
		m.bytes[at] = 1
	}
	var list []*image
	keep := func(layers, held int) {
		t.Helper()
		i, err := newImage(m)
		if err != nil {
			t.Fatal(err)
		}
		if len(i.layers) != layers || i.held != int64(held)*imagePage {
			t.Errorf("image %d has %d layers and holds %d pages, want %d and %d", len(list), len(i.layers), i.held/imagePage, layers, held)
		}
		if list = append(list, i); !bytes.Equal(i.view, m.bytes) {
			t.Errorf("image %d differs from memory", len(list))
		}
		if err := m.restore(i); err != nil {
			t.Fatal(err)
		}
	}
	keep(1, pages/2)
	m.bytes[7*imagePage], m.bytes[8*imagePage], m.bytes[700*imagePage] = 2, 0, 2 // two parts, one of them behind what was there
	keep(2, 3)
	m.bytes[8*imagePage], m.bytes[100*imagePage+1] = 3, 3
	keep(3, 2)
	if err := list[0].close(); err != nil {
		t.Fatal(err)
	}
	m.Reallocate((pages + 16) * imagePage)
	m.bytes[(pages+3)*imagePage] = 4
	keep(4, 1)
	want := bytes.Clone(m.bytes)
	clear(m.bytes)
	if err := m.restore(list[3]); err != nil || !bytes.Equal(m.bytes, want) {
		t.Errorf("memory is not what it was: %v", err)
	}
	for i := range maxParts {
		m.bytes[i*8*imagePage] = 5
	}
	keep(1, pages/2+66)
	for at := range pages / 4 * imagePage {
		m.bytes[at] = 6
	}
	keep(1, pages/2+66)
	mappings.Add(maxMappings) // by other images
	m.bytes[0]++
	keep(1, pages/2+66)
	mappings.Add(-maxMappings)
	m.bytes[0]++
	keep(2, 1)
	for _, i := range list[1:] {
		if err := i.close(); err != nil {
			t.Error(err)
		}
	}
	if n := mappings.Load(); n != 0 {
		t.Errorf("%d mappings of images that are closed", n)
	}
}

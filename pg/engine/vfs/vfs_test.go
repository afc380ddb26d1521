package vfs

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// model is the obvious file system: content by name.
type model map[string][]byte

func (m model) write(name string, b []byte, off int) {
	if need := off + len(b); need > len(m[name]) {
		m[name] = append(m[name], make([]byte, need-len(m[name]))...)
	}
	copy(m[name][off:], b)
}

func (m model) clone() model {
	c := model{}
	for k, v := range m {
		c[k] = bytes.Clone(v)
	}
	return c
}

func (m model) equal(t *rapid.T, f *FS) {
	if got, want := f.List("/d"), slices.Sorted(maps.Keys(m)); !slices.Equal(got, want) {
		t.Fatalf("names are %v, not %v", got, want)
	}
	for name, want := range m {
		ino, _ := f.Lookup("/d/"+name, true)
		got := make([]byte, f.File(ino).Size)
		f.ReadAt(ino, got, 0)
		if !bytes.Equal(got, want) {
			t.Fatalf("%s has %d bytes, not %d, or other ones", name, len(got), len(want))
		}
	}
}

// TestFilesBehaveAsMaps holds views, snapshots and images against maps of byte slices.
func TestFilesBehaveAsMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := NewTree()
		tree.Add("/d", &File{Kind: Dir, Mode: 0o755})
		tree.Add("/d/a", NewFile(0o644, bytes.Repeat([]byte("ab"), PageSize)))
		f, m := New(tree), model{"a": bytes.Repeat([]byte("ab"), PageSize)}
		state, kept := f.Snapshot(), m.clone()
		name := rapid.SampledFrom([]string{"a", "b", "c"})
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				n, off := name.Draw(t, "name"), rapid.IntRange(0, 3*PageSize).Draw(t, "offset")
				b := rapid.SliceOfN(rapid.Byte(), 1, 2*PageSize).Draw(t, "bytes")
				fd, e := f.Open("/d/"+n, OCreate|1, 0o600)
				if e != OK {
					t.Fatalf("open: %d", e)
				}
				f.WriteAt(f.FD(fd).Ino, b, int64(off))
				f.Close(fd)
				m.write(n, b, off)
			},
			"truncate": func(t *rapid.T) {
				n, size := name.Draw(t, "name"), rapid.IntRange(0, 3*PageSize).Draw(t, "size")
				if ino, _ := f.Lookup("/d/"+n, true); ino != 0 {
					f.Truncate(ino, int64(size))
					m[n] = append(m[n], make([]byte, max(0, size-len(m[n])))...)[:size:size]
				}
			},
			"remove": func(t *rapid.T) {
				n := name.Draw(t, "name")
				_, there := m[n]
				if e := f.Remove("/d/"+n, false); (e == OK) != there {
					t.Fatalf("remove %s: %d", n, e)
				}
				delete(m, n)
			},
			"rename": func(t *rapid.T) {
				from, to := name.Draw(t, "from"), name.Draw(t, "to")
				if b, there := m[from]; there && from != to {
					f.Rename("/d/"+from, "/d/"+to)
					m[to] = b
					delete(m, from)
				}
			},
			"snapshot": func(*rapid.T) { state, kept = f.Snapshot(), m.clone() },
			"restore": func(*rapid.T) {
				f.Restore(state)
				m = kept.clone()
			},
			"image": func(t *rapid.T) {
				tree, err := Decode(f.Snapshot().Tree().Encode())
				if err != nil {
					t.Fatal(err)
				}
				m.equal(t, New(tree))
			},
			"": func(t *rapid.T) { m.equal(t, f) },
		})
	})
}

func TestRenameOfADirectoryTakesWhatIsInIt(t *testing.T) {
	tree := NewTree()
	tree.Add("/x/y/z", NewFile(0o644, []byte("hello")))
	f := New(tree)
	if e := f.Rename("/x", "/w"); e != OK {
		t.Fatal(e)
	}
	if ino, _ := f.Lookup("/w/y/z", true); ino == 0 || string(f.File(ino).Bytes()) != "hello" {
		t.Error("the file did not move")
	}
	if ino, _ := f.Lookup("/x/y/z", true); ino != 0 {
		t.Error("the file is still there")
	}
}

func TestForkSharesFilesNotDescriptors(t *testing.T) {
	a := New(NewTree())
	b := a.Fork()
	fd, _ := a.Open("/new", OCreate|1, 0o600)
	a.WriteAt(a.FD(fd).Ino, []byte("x"), 0)
	if b.FD(fd) != nil {
		t.Error("the descriptor is open in the other process")
	}
	if ino, _ := b.Lookup("/new", true); ino == 0 || b.File(ino).Size != 1 {
		t.Error("the file is not there for the other process")
	}
}

func TestErrors(t *testing.T) {
	tree := NewTree()
	tree.Add("/d/f", NewFile(0o644, []byte("x")))
	tree.Add("/loop", &File{Kind: Link, Target: "loop"})
	f := New(tree)
	open := func(name string, flags int32) Errno { _, e := f.Open(name, flags, 0); return e }
	for _, c := range []struct {
		what      string
		got, want Errno
	}{
		{"open nothing", open("/no", 0), ENOENT},
		{"create in nothing", open("/no/no", OCreate), ENOENT},
		{"create exclusively", open("/d/f", OCreate|OExclusive), EEXIST},
		{"write a directory", open("/d", 1), EISDIR},
		{"a file as directory", open("/d/f", ODirectory), ENOTDIR},
		{"a loop of links", open("/loop", 0), ENOENT},
		{"remove a full directory", f.Remove("/d", true), ENOTEMPTY},
		{"remove a directory as a file", f.Remove("/d", false), EISDIR},
		{"close nothing", f.Close(77), EBADF},
		{"mkdir twice", f.Mkdir("/d", 0), EEXIST},
		{"a huge file", f.WriteAt(f.base.names["/d/f"], []byte("x"), MaxFile), EFBIG},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, not %d", c.what, c.got, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	tree := NewTree()
	tree.Add("/d/f", NewFile(0o644, []byte("content")))
	good := tree.Encode()
	f.Add(good)
	for i := range len(good) / 64 {
		bad := bytes.Clone(good)
		bad[i*64] ^= 0x55
		f.Add(bad)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		tree, err := Decode(b)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("%v", err)
			}
			return
		}
		_ = fmt.Sprint(tree.Names())
	})
}

func TestDamagedImages(t *testing.T) {
	tree := NewTree()
	tree.Add("/d/f", NewFile(0o644, bytes.Repeat([]byte("x"), 3*PageSize)))
	good := tree.Encode()
	for at := 0; at < len(good); at += 7 {
		bad := bytes.Clone(good)
		bad[at] ^= 1
		if _, err := Decode(bad); !errors.Is(err, ErrDamaged) {
			t.Fatalf("a bit flipped at %d: %v", at, err)
		}
		if _, err := Decode(good[:at]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut at %d: %v", at, err)
		}
	}
}

// The tests of the storage have this flag; here it has no effect, so that it can be
// given for all packages at once.
var _ = flag.String("corpus", "", "directory of recorded statements: see the package storage")

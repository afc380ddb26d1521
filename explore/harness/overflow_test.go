package harness

import (
	"strings"
	"testing"
)

const overflowed = `runtime: goroutine stack exceeds 67108864-byte limit
runtime: sp=0x1fb7ff380398 stack=[0x1fb7ff380000, 0x1fb803380000]
fatal error: stack overflow

runtime stack:
runtime.throw({0x64c908?, 0x7f79cac9dd18?})
	/usr/local/go/src/runtime/panic.go:1229 +0x48 fp=0x7f79cac9dd20 sp=0x7f79cac9dcf0 pc=0x484f68

goroutine 30 gp=0x1fb7fb301000 m=3 mp=0x1fb7fb26d008 [running]:
example.com/deep.even(0x7fff05?)
	/home/u/deep/deep.go:17 +0x2c fp=0x1fb7ff3803a8 sp=0x1fb7ff3803a0 pc=0x5c9a2c
example.com/deep.(*T).odd(...)
	/home/u/deep/deep.go:18
example.com/deep.even(...)
	/home/u/deep/deep.go:17
...1048467 frames elided...
example.com/deep.(*T).odd(0x0?)
	/home/u/deep/deep.go:18 +0x18 fp=0x1fb803376c50 sp=0x1fb803376c38 pc=0x5c9a58
example.com/deep.ExploreDeep.func1.1(0x1fb7fb332480)
	/home/u/deep/deep.go:10 +0x3f fp=0x1fb7fb276d98 sp=0x1fb7fb276d40 pc=0x5c9b9f
created by iter.Pull[...] in goroutine 28
	/usr/local/go/src/iter/iter.go:271 +0x90

goroutine 9 gp=0x1fb7fb2a3000 m=nil [GC worker (idle)]:
runtime.gopark(0x3f7ce52a0d4?, 0x0?, 0x0?, 0x0?, 0x0?)
	/usr/local/go/src/runtime/proc.go:462 +0xce fp=0x1fb7fb265740 sp=0x1fb7fb265720 pc=0x48508e
`

// printed is what is passed on of a text that is written in pieces of so many bytes.
func printed(t *testing.T, text string, size int) (string, *Output) {
	t.Helper()
	var b strings.Builder
	o := &Output{To: &b, Dir: "/home/u"}
	for len(text) > 0 {
		n := min(size, len(text))
		if k, err := o.Write([]byte(text[:n])); k != n || err != nil {
			t.Fatal(k, err)
		}
		text = text[n:]
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), o
}

// The dump of an overflow is told in a sentence, however it arrives.
func TestOverflow(t *testing.T) {
	want := "endless recursion: the stack of the client code has outgrown 64 MiB; " +
		"example.com/deep.even (deep/deep.go:17), example.com/deep.(*T).odd (deep/deep.go:18) call each other, " +
		"first from example.com/deep.ExploreDeep.func1.1 (deep/deep.go:10)"
	for _, size := range []int{1, 7, 100, 1 << 20} {
		got, o := printed(t, "before\nruntime: goro\n"+overflowed, size)
		r := o.Recursion()
		if got != "before\nruntime: goro\n" || r == nil {
			t.Fatalf("in pieces of %d: %q, %v", size, got, r)
		}
		if r.String() != want || r.At != "deep/deep.go:17" {
			t.Errorf("got  %s\nwant %s", r, want)
		}
	}
}

// What is no dump is passed on, its last line too, and as soon as it cannot be one.
func TestOutput(t *testing.T) {
	for _, text := range []string{"a\nb", "runtime: goroutine stack", overflowing + "nothing\nand more", "", "\n\n", "x " + overflowing} {
		for _, size := range []int{1, 3, 1000} {
			if got, _ := printed(t, text, size); got != text {
				t.Errorf("in pieces of %d: got %q, want %q", size, got, text)
			}
		}
	}
	var b strings.Builder
	(&Output{To: &b}).Write([]byte("a prompt: "))
	if b.String() != "a prompt: " {
		t.Errorf("held back: %q", b.String())
	}
}

package packet_test

import (
	"bytes"
	"testing"

	"github.com/txmc/txmc/server/proxy/packet"
)

// Packets that make a payload are read as a whole, also when another one continues them.
func TestWhole(t *testing.T) {
	const longest = 1<<24 - 1
	long := append([]byte{0xff, 0xff, 0xff, 0}, make([]byte, longest)...)
	whole := append(long, packet.Make(1, []byte("end"))...)
	for cut := range map[int]bool{0: true, 3: true, 4: true, longest: true, longest + 4: true, len(whole) - 1: true} {
		if n := packet.Whole(whole[:cut]); n != 0 {
			t.Errorf("%d bytes are whole after %d", n, cut)
		}
	}
	if n := packet.Whole(append(whole, 1, 2)); n != len(whole) {
		t.Errorf("%d bytes are whole, want %d", n, len(whole))
	}
	if p := packet.Payload(whole); len(p) != longest+3 || !bytes.HasSuffix(p, []byte("end")) {
		t.Errorf("the payload has %d bytes", len(p))
	}
	if read, err := packet.Read(bytes.NewReader(append(whole, 9))); err != nil || !bytes.Equal(read, whole) {
		t.Errorf("%d bytes are read, %v", len(read), err)
	}
}

// FuzzAnswer reads anything as an answer, without an end of the process.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte{packet.Query, 'I', 1, 0, 0, 1, 1}, []byte{0, 1, 0})
	f.Add(append([]byte{packet.Execute, 'T'}, packet.Make(1, []byte{0xff, 1, 2})...), []byte{3, 0, 253, 128})
	f.Add(append([]byte{packet.Prepare, 'I'}, packet.Make(1, []byte{0, 1, 0, 0, 0, 1, 0, 1, 0})...), []byte{12, 0})
	f.Fuzz(func(t *testing.T, answer, types []byte) {
		packet.Words(answer)
		packet.SeenOf(answer)
		packet.Status(answer)
		packet.Arguments(answer, len(types)/2, types)
		packet.Last(answer)
		_, _ = packet.Startup(answer)
		_, _, _ = packet.Version(answer)
	})
}

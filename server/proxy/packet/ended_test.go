package packet

import (
	"bytes"
	"testing"
)

// Ended gives an answer as after the end of a transaction. The answer says that no
// transaction is open, at each place where it tells this: in an OK packet, after the
// columns, and after the rows.
func TestEnded(t *testing.T) {
	const status = inFlight | autocommit
	column := Make(1, append([]byte("\x03def\x00\x00\x00\x01a\x00\x0c"), 0x3f, 0, 11, 0, 0, 0, 8, 0, 0, 0, 0, 0))
	for name, test := range map[string][][]byte{
		"OK":   {Make(1, []byte{0, 0xfc, 1, 1, 5, status, 0, 0, 0})},
		"rows": {Make(1, []byte{1}), column, Make(2, []byte{isEOF, 0, 0, status, 0}), Make(3, []byte{1, 'x'}), Make(4, []byte{isEOF, 0, 0, status, 0})},
	} {
		answer := append([]byte{Query, 'T'}, bytes.Join(test, nil)...)
		before := bytes.Clone(answer)
		got := Ended(answer)
		want := bytes.ReplaceAll(append([]byte{Query, 'I'}, answer[2:]...), []byte{status, 0}, []byte{autocommit, 0})
		if !bytes.Equal(got, want) || !bytes.Equal(answer, before) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

package format

import "testing"

// Keys keep their text, whether they are looked up as numbers or not.
func TestKeys(t *testing.T) {
	s := &source{keys: map[string]string{}}
	for range 2 {
		for _, k := range []string{"", "0", "00", "07", "7", "99999", "100000", "-1", "+1", "1e3", "x", "٣"} {
			if got := s.key([]byte(k)); got != k {
				t.Errorf("%q is %q", k, got)
			}
		}
	}
}

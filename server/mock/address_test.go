package mock

import "testing"

// The address by default is that where clients of the protocol look.
func TestDefaultAddress(t *testing.T) {
	for _, c := range []struct{ protocol, listen, want string }{
		{"postgres", "", "127.0.0.1:5432"}, {"mysql", "", "127.0.0.1:3306"}, {"mysql", "127.0.0.1:0", "127.0.0.1:0"},
	} {
		if got := (&Serving{Protocol: c.protocol, Listen: c.listen}).address(); got != c.want {
			t.Errorf("%s, %q: %s, want %s", c.protocol, c.listen, got, c.want)
		}
	}
}

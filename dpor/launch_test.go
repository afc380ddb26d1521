package dpor_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
)

// Work whose goroutine ends before it has done is an error and stops the exploration; work that has done is none.
func TestLaunch(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		do      func() error
		fails   bool
		stopped bool
	}{
		"done":     {func() error { return nil }, false, false},
		"broken":   {func() error { return broken }, true, true},
		"vanished": {func() error { runtime.Goexit(); return nil }, true, true},
	} {
		client, err := newClient(parse("inc x | inc x"))
		if err != nil {
			t.Fatal(err)
		}
		err, stopped := dpor.Launched(dpor.Explore(t.Context(), client, at(isolation.SER)), test.do)
		if (err != nil) != test.fails || stopped != test.stopped {
			t.Errorf("%s: error %v, stopped %v", name, err, stopped)
		}
	}
}

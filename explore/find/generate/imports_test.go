package generate

import (
	"strings"
	"testing"
)

// What was named for a program that turned out not to be writable is not imported: Go
// refuses a file that does not use it.
func TestImports(t *testing.T) {
	f := NewFile("found", "CREATE TABLE time (a int)")
	f.name("time", "time")
	f.name("errors", "errors")
	f.body.WriteString("\nfunc broken() error { return errors.New(`time.`) }\n")
	text, err := f.Source()
	if err != nil {
		t.Fatal(err)
	}
	if s := string(text); strings.Contains(s, `"time"`) || !strings.Contains(s, `"errors"`) {
		t.Errorf("%s", s)
	}
}

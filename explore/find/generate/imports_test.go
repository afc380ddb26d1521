package generate

import (
	"strings"
	"testing"

	"github.com/txmc/txmc/explore/find/access"
)

// A database that no call uses has no variable.
func TestDeclaration(t *testing.T) {
	for code, want := range map[string]string{"app.Buy(1)": "", "app := app.New(db.Open(s))": "db := "} {
		if got := declaration(code); got != want {
			t.Errorf("%s: %q", code, got)
		}
	}
}

// What was named for a program that turned out not to be writable is not imported: Go
// refuses a file that does not use it.
func TestImports(t *testing.T) {
	f := NewFile("found", "CREATE TABLE time (a int)", access.PostgreSQL)
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

package program_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/watched"
)

// What sessions change of other packages is an error, by which value it is or by what it holds.
// What they leave as it was, and what the Explore function makes anew in each call, is none.
func TestSettings(t *testing.T) {
	client, prefix := &http.Client{}, ""
	nothing := func() {}
	for name, test := range map[string]struct {
		declares, changes func()
		want              string
	}{
		"a new pointer": {nothing, func() { client = &http.Client{} }, "http.DefaultClient changes while sessions run"},
		"a new value":   {nothing, func() { prefix += "x" }, "log.Prefix() changes while sessions run"},
		"as before":     {nothing, func() { was := client; client = nil; client, prefix = was, strings.Clone(prefix) }, ""},
		"declared":      {func() { client = &http.Client{} }, func() { client.Timeout++ }, ""},
		"both":          {func() { prefix += "y" }, func() { client = nil }, "http.DefaultClient changes while sessions run"},
	} {
		client, prefix = &http.Client{}, ""
		list := []watched.Variable{
			{Name: "http.DefaultClient", File: "app.go", Line: 7, Package: "example.com/app", Now: func() any { return &client }},
			{Name: "log.Prefix()", File: "app.go", Line: 8, Package: "example.com/app", Now: func() any { now := prefix; return &now }},
		}
		c, err := program.NewClient(t.Name(), func(p *program.Program) {
			test.declares()
			p.Session("s", func(*program.Session) { test.changes() })
		}, program.Options{Watched: list})
		if err != nil {
			t.Fatal(name, err)
		}
		_, err = c.Root(0)
		if err == nil {
			err = c.Settle()
		}
		if test.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var wrong *behaviour.Error
		errors.As(err, &wrong)
		wants(t, wrong, behaviour.Nondeterminism, "app.go:", test.want, "set it in the Explore function")
	}
}

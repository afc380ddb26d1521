package source

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/txmc/txmc/program/load"
)

// A service is made of the repository that another function makes; arguments by name have numbers, and
// migrations that are embedded together are the schema, in their order.
func TestLayers(t *testing.T) {
	compare(t, "layers", `wallets.Close by NewWallets
  Close auto=true 
    UPDATE wallet SET closed = true, note = '@id' /* @no */ WHERE id = $1 AND owner = $2 AND id > $1 -- @none [id "me"] loop=false
wallets.Find by NewWallets
  Find auto=true 
    SELECT 1 FROM wallet WHERE id = $1 AND x = $2 [(id or 0) ?] loop=false
  Find auto=true 
    SELECT 2 FROM wallet WHERE id = $1 [?] loop=false [error of 1 != nil false]
wallets.Get by NewWallets
  Get auto=true 
    SELECT id FROM wallet WHERE owner = $1 [owner] loop=false
Service.Close by NewService
  Close auto=true 
    UPDATE wallet SET closed = true, note = '@id' /* @no */ WHERE id = $1 AND owner = $2 AND id > $1 -- @none [id "me"] loop=false
Peek
  Peek auto=true 
    SELECT 4 FROM wallet [] loop=false
layers.go:68 an argument makes the statement anew at run time
`)
	dir, err := filepath.Abs(filepath.Join("testdata", "layers"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := load.LoadSource(t.Context(), load.Config{Dir: dir, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	p := Find(t.Context(), s, Options{})
	var makers, schema []string
	for _, m := range p.Makers {
		makers = append(makers, m.Name())
	}
	for _, s := range p.Schemas {
		schema = append(schema, strings.TrimSpace(s.SQL))
	}
	if diff := cmp.Diff([]string{"NewWallets", "Wrap", "NewService"}, makers); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"CREATE TABLE wallet (id int PRIMARY KEY, owner text, note text);", "ALTER TABLE wallet ADD x int;", "ALTER TABLE wallet ADD closed boolean;"}, schema); diff != "" {
		t.Error(diff)
	}
}

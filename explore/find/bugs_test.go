package find

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/program/load"
)

// publicBugs are the calls that go wrong in publicly reported bugs, which are written anew in testdata/bugs of the module;
// "" for those that are not found.
var publicBugs = map[string]string{
	"billing":       "Store.Bill × Store.Bill",
	"dumps":         "Queue.Process × Queue.Process",
	"mounts":        "Store.Add × Store.Add",
	"orders":        "",
	"quota":         "Store.Put × Store.Put",
	"records":       "Store.Create × Store.Delete",
	"subscriptions": "Store.Subscribe × Store.Subscribe",
	"totals":        "",
	"usage":         "Store.Flush × Store.Flush",
	"wallet":        "Store.Buy × Store.Buy",
}

// Publicly reported bugs are found with nothing said but their package, and nothing is found in what has mended them.
func TestPublicBugs(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	dirs, err := os.ReadDir(filepath.Join("..", "..", "testdata", "bugs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		want, known := publicBugs[dir.Name()]
		if !known {
			t.Errorf("%s: nobody says which calls go wrong", dir.Name())
		}
		if want == "" {
			continue
		}
		t.Run(dir.Name(), func(t *testing.T) {
			t.Parallel()
			for kind, want := range map[string]string{"bug": want, "fix": ""} {
				opts := Options{Level: isolation.PgRC, Extent: Extent{Whole: true}, Run: true, Config: load.Config{Dir: "../../../testdata/bugs/" + dir.Name() + "/" + kind}}
				var found []string
				r := find(t, opts)
				for _, f := range r.Findings {
					found = append(found, strings.Join(f.Calls, " × "))
				}
				all := "|" + strings.Join(found, "|") + "|"
				if r.Transactions == 0 || want == "" && len(found) > 0 || !strings.Contains(all, "|"+want) {
					t.Errorf("%s: found %q in %d transactions, want %q", kind, found, r.Transactions, want)
				}
			}
		})
	}
}

package txmc_test

import (
	"slices"
	"strings"
	"testing"
)

// halls are rooms of many packages. Of each the packages are listed, with those of the hall
// that they may import; what those import is allowed to them too. A package is listed before
// those that import it.
var halls = map[string][]struct {
	room  string
	rooms []string
}{
	"history": {
		{"history", nil},
		{"history/realtime", nil},
		{"history/linear", nil},
		{"history/guarantee", nil},
		{"history/conflict", nil},
		{"history/format", []string{"history"}},
		{"history/check", []string{"history", "history/realtime", "history/linear", "history/guarantee", "history/conflict"}},
		{"history/workload", []string{"history/check", "history/format"}},
		{"history/judge", []string{"history/check", "history/format", "history/workload"}},
	},
	"dpor": {
		{"dpor/orbit", nil},
		{"dpor/work", nil},
		{"dpor/states", []string{"dpor/orbit", "dpor/work"}},
		{"dpor/swap", []string{"dpor/orbit", "dpor/work"}},
		{"dpor/serial", []string{"dpor/swap"}},
		{"dpor", []string{"dpor/serial", "dpor/states"}},
		{"dpor/sqltest", []string{"dpor"}},
	},
	"program": {
		{"program/access", nil},
		{"program/deadlinetest", nil},
		{"program/files", nil},
		{"program/overlay", nil},
		{"program/repeat", nil},
		{"program/served", nil},
		{"program/vet", nil},
		{"program/watched", nil},
		{"program/door", []string{"program/repeat"}},
		{"program/behaviour", []string{"program/access"}},
		{"program", []string{"program/behaviour", "program/files", "program/repeat", "program/watched"}},
		{"program/rows", []string{"program"}},
		{"program/load", []string{"program/overlay", "program/vet"}},
	},
}

// ofHall is the package of a hall's list that a package is, or is below of.
func ofHall(hall, path string) string {
	best := ""
	for _, b := range halls[hall] {
		if at := module + "/" + b.room; (path == at || strings.HasPrefix(path, at+"/") && b.room != hall) && len(b.room) > len(best) {
			best = b.room
		}
	}
	return best
}

// In a hall, too, no import runs upwards.
func TestHalls(t *testing.T) {
	t.Parallel()
	list := packages(t)
	for hall, rooms := range halls {
		may := map[string][]string{}
		for _, b := range rooms {
			may[b.room] = []string{b.room}
			for _, r := range b.rooms {
				may[b.room] = append(append(may[b.room], r), may[r]...)
			}
		}
		for _, p := range list {
			if name, _ := room(p.ImportPath); name != hall {
				continue
			}
			from := ofHall(hall, p.ImportPath)
			if from == "" {
				t.Errorf("%s is in no room of %s", p.ImportPath, hall)
			}
			for _, i := range p.Imports {
				if name, ours := room(i); ours && name == hall && !slices.Contains(may[from], ofHall(hall, i)) {
					t.Errorf("%s imports %s", p.ImportPath, i)
				}
			}
		}
	}
}

package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/program/files"
)

// did is one line of a history: the session, or - for the Explore function, with the number of the
// run; what it does; and the path.
func did(t *testing.T, f *files.Files, at int, line string) *files.Conflict {
	t.Helper()
	who, rest, _ := strings.Cut(line, " ")
	i := strings.LastIndexByte(rest, ' ')
	by := files.Mark{Session: files.Declaring, At: int32(at)}
	if who[0] != '-' {
		by.Session = int(who[0] - 'a')
	}
	fmt.Sscan(who[1:], &by.Run)
	return f.Use(by, bits(t, rest[:i]), filepath.FromSlash(rest[i+1:]))
}

// operations are what they do by bits.
var operations = map[string]string{"create": "changes anew names", "remove": "changes anew names gone", "move": "reads changes anew names below gone", "put": "changes anew names below"}

// bits are those of their names, and of operations.
func bits(t *testing.T, list string) (what files.What) {
	t.Helper()
	for _, name := range strings.Fields(list) {
		if does, ok := operations[name]; ok {
			what |= bits(t, does)
			continue
		}
		bit := files.What(1)
		for ; bit.String() != name; bit <<= 1 {
			if bit > files.Link {
				t.Fatalf("%q is no bit", name)
			}
		}
		what |= bit
	}
	return what
}

// What passes in a history, by the lines of who reads and who changes.
func TestUse(t *testing.T) {
	for name, test := range map[string]struct {
		history string
		want    string // lines of the reader and of the changer, counted from 0
	}{
		"a fixture":                            {"a1 reads /x; b2 reads /x; a3 reads /x", ""},
		"a log":                                {"a1 create /x; a1 changes /x; b2 changes /x; a3 changes /x", ""},
		"another's file":                       {"a1 create /x; b2 reads /x", "1 0"},
		"the other way round":                  {"b1 reads /x; a2 create /x", "0 1"},
		"an earlier run's":                     {"a1 create /x; a2 reads /x", "1 0"},
		"an earlier run has read it":           {"a1 reads /x; a2 create /x", "0 1"},
		"one's own":                            {"a1 create /x; a1 reads /x; a2 create /x; a2 reads /x", ""},
		"one's own, and another session's":     {"a1 create /x; a1 reads /x; b2 create /x", "1 2"},
		"two write, one reads":                 {"a1 create /x; b2 create /x; b2 reads /x", "2 0"},
		"appended to what is left":             {"a1 create /x; a2 changes /x; a2 reads /x", "2 0"},
		"one's own, but changed meanwhile":     {"a1 create /x; a2 create /x; a1 reads /x", "2 1"},
		"what nobody knows":                    {"a1 create /x1; a1 fresh /x1; a1 reads /x1; a1 remove /x1; b1 create /x1; b1 fresh /x1; b1 reads /x1", ""},
		"a name that is told":                  {"a1 create /x1; a1 fresh /x1; b1 reads /x1", "2 0"},
		"a lock":                               {"a1 reads create /l; a1 remove /l; b2 reads create /l", "2 1"},
		"removed":                              {"a1 remove /x; b2 reads /x", "1 0"},
		"a directory removed":                  {"a1 remove below /d; b2 reads /d/x", "1 0"},
		"a directory removed, read before":     {"b1 reads /d/x; a2 remove below /d", "0 1"},
		"removed and made":                     {"a1 remove below /d; a1 create /d; b2 reads /d/x", "2 0"},
		"cleared by each":                      {"a1 remove below /d; a1 ensures create /d; a1 create /d/x; a1 reads /d/x; a2 remove below /d; a2 ensures create /d; a2 reads /d/x", ""},
		"renamed":                              {"a1 create /x1; a1 fresh /x1; a1 move /x1; a1 put /y; b2 reads /y", "4 3"},
		"what another made, renamed":           {"a1 create /d/x; b2 move /d", "1 0"},
		"renamed and read by itself":           {"a1 create /x1; a1 fresh /x1; a1 move /x1; a1 put /y; a1 reads /y; a2 create /x2; a2 fresh /x2; a2 move /x2; a2 put /y; a2 reads /y", ""},
		"listed":                               {"a1 create /d/x; b2 lists /d", "1 0"},
		"listed before":                        {"b1 lists /d; a2 create /d/x", "0 1"},
		"listed, changed only":                 {"a1 changes /d/x; b2 lists /d", ""},
		"listed, what is elsewhere":            {"a1 create /d/e/x; b2 lists /d", ""},
		"listed, what may have been there":     {"a1 names /d/x; b2 lists /d", "1 0"},
		"listed, what an earlier run may have": {"a1 names /d/x; a2 lists /d", "1 0"},
		"listed, one's own":                    {"a1 create /d; a1 fresh /d; a1 create /d/x; a1 lists /d; a1 remove below /d; a2 create /d; a2 fresh /d; a2 lists /d", ""},
		"a common directory":                   {"a1 ensures create /d; b2 ensures /d; b2 reads /d; b2 lists /d; a3 ensures /d; a3 reads /d", ""},
		"a common directory, made again":       {"a1 ensures create /d; a1 reads /d; b2 ensures create /d", ""},
		"a directory that another made":        {"a1 ensures create /d; b2 reads /d", "1 0"},
		"a directory that was missing":         {"b1 reads /d; a2 ensures create /d", "0 1"},
		"declared":                             {"-1 create /x; a1 reads /x; -2 create /x; b2 reads /x; a1 reads /x", ""},
		"declared again and changed":           {"-1 create /x; a1 reads /x; a1 changes /x; a1 reads /x; -2 create /x; a2 reads /x; a2 changes /x", ""},
		"declared again meanwhile":             {"-1 create /x; a1 changes /x; -2 create /x; a1 reads /x", "3 2"},
		"declared, by a session's":             {"a1 create /x; -2 reads /x", "1 0"},
		"declared, after a session's":          {"a1 create /x; -2 create /x; -2 reads /x", ""},
		"declared, then by two sessions":       {"-1 create /x; a1 changes /x; -2 create /x; b2 reads /x", "3 1"},
		"declared, cleared":                    {"-1 put /d; a1 reads /d/x; a1 create /d/x; -2 put /d; a2 reads /d/x; a2 create /d/x", ""},
		"declared, appended to a session's":    {"a1 create /x; -2 changes /x; a2 reads /x", "2 0"},
		"in one call, one after the other":     {"-1 create /x; a1 changes /x; b1 reads /x", "2 1"},
	} {
		var f files.Files
		got := ""
		for i, line := range strings.Split(test.history, "; ") {
			if c := did(t, &f, i, line); c != nil && got == "" {
				got = fmt.Sprint(c.Reader.At, c.Changer.At)
				if last := max(c.Reader.At, c.Changer.At); int(last) != i {
					t.Errorf("%s: line %d is told of at line %d", name, last, i)
				}
			}
		}
		if got != test.want {
			t.Errorf("%s: state passes at %q, want %q", name, got, test.want)
		}
	}
}

// What is the same again is nothing new.
func TestSeq(t *testing.T) {
	var f files.Files
	for i, line := range []string{"a1 create /x", "a1 changes /y", "a1 reads /z"} {
		did(t, &f, i, line)
	}
	was := f.Seq()
	for _, line := range []string{"a1 changes /x", "a1 changes /y", "a1 reads /x", "a1 reads /z", "a1 changes /x", "a1 reads /x"} {
		did(t, &f, 9, line)
	}
	if f.Seq() > was+1 { // to read one's own is new, once
		t.Errorf("%d, then %d", was, f.Seq())
	}
	did(t, &f, 9, "a2 changes /y")
	if f.Seq() == was+1 {
		t.Error("a change by another run is nothing new")
	}
}

// A path is what its name leads to, also where nothing is there yet.
func TestPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, d := range []string{"real/in", "other"} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"link": "real", "other/up": "../link/in", "dangling": "real/new", "loop": "loop"} {
		if err := os.Symlink(to, from); err != nil {
			t.Skip(err)
		}
	}
	for _, test := range []struct {
		name string
		link bool
		want string
	}{
		{"real/in", false, "real/in"},
		{"link/in", false, "real/in"},
		{"link/in/x", false, "real/in/x"},
		{"link/no/x", false, "real/no/x"},
		{"other/up/x", false, "real/in/x"},
		{"other/../link", false, "real"},
		{"link", true, "link"},
		{"link/in", true, "real/in"},
		{"dangling", false, "real/new"},
		{"dangling", true, "dangling"},
		{"loop", false, "loop"},
		{filepath.Join(dir, "link"), false, "real"},
	} {
		if got, want := files.Path(test.name, test.link), files.Path(dir, true)+string(filepath.Separator)+filepath.FromSlash(test.want); got != want {
			t.Errorf("%s (%v) is %s, want %s", test.name, test.link, got, want)
		}
	}
	for name, want := range map[string]string{"/dev/null": "", "/proc/self/status": "", "|7": "|7"} {
		if got := files.Path(name, false); got != want && !(filepath.Separator == '\\' && name[0] == '/') {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

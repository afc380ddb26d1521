package behaviour

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/program/overlay"
)

// Functions of the packages that the overlay changes are the standard library's, wherever
// their files are said to be; others with such names are not.
func TestOverlaid(t *testing.T) {
	for function, want := range map[string]bool{
		"time.(*Timer).Reset": true, "time.(*txmcRun).set": true, "time.Sleep": true, "net.(*Dialer).DialContext": true, "math/rand/v2.N[...]": true, "math/rand.Int": true,
		"example.com/time.Sleep": false, "app/net.Dial": false, "timeline.Now": false, "main.main": false, "example.com/app.(*time).now": false,
	} {
		if overlaid(function) != want {
			t.Errorf("%s: %v", function, !want)
		}
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := strings.TrimSpace(string(out))
	files, err := overlay.Files(root, runtime.Version())
	if err != nil {
		t.Skip(err)
	}
	for file := range files {
		dir, _ := filepath.Rel(filepath.Join(root, "src"), filepath.Dir(file)) // both are of the same root
		if pkg := filepath.ToSlash(dir); !slices.Contains(overlaidPackages, pkg) && !strings.HasPrefix(pkg, "runtime") {
			t.Errorf("the overlay changes %s too", pkg)
		}
	}
}

package puretag

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Without the tag the compiler's error names it; with it there is none.
func TestMissingTag(t *testing.T) {
	for tags, want := range map[string]string{"-tags=": "undefined: package_mysql_of_txmc_needs_the_build_tag__go_test_tags_gms_pure_go", "-tags=gms_pure_go": ""} {
		build := exec.Command("go", "build", ".")
		build.Env = append(os.Environ(), "GOFLAGS="+tags)
		out, err := build.CombinedOutput()
		if (err == nil) != (want == "") || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s", tags, err, out)
		}
	}
}

package cluster

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/txmc/txmc/explore/harness"
)

// Identity says what a process can run. Coordinator and workers must have the same one:
// counts are those of one machine when the same program explores everywhere.
type Identity struct {
	Build    string `json:"build"`    // version of txmc's module and what it was built of
	Go       string `json:"go"`       // version
	Platform string `json:"platform"` // GOOS/GOARCH
	Protocol int    `json:"protocol"` // of harnesses
}

// identify says what this process is.
var identify = sync.OnceValue(func() Identity {
	return Identity{Build: build(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Protocol: harness.Version}
})

// build names the build: by its version and sum, or its commit; of one that has neither,
// by the hash of its file.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return executable("unknown version")
	}
	revision, changed := "", false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			changed = s.Value == "true"
		}
	}
	switch v := info.Main.Version; {
	case info.Main.Sum != "":
		return v + " " + info.Main.Sum
	case revision != "" && !changed:
		return v + " " + revision
	default:
		return executable(v)
	}
}

// executable names a build by its file.
func executable(version string) string {
	name, err := os.Executable()
	if err != nil {
		return version
	}
	f, err := os.Open(name)
	if err != nil {
		return version
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return version
	}
	return fmt.Sprintf("%s %.12x", version, hash.Sum(nil))
}

// String is the identity for people.
func (i Identity) String() string { return "txmc " + i.Build + " " + i.Go + " " + i.Platform }

// name stands for the identity in subjects.
func (i Identity) name() string {
	return fmt.Sprintf("%.12x", sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%d", i.Build, i.Go, i.Platform, i.Protocol)))
}

// differs says what a worker has to change to be of use to a coordinator.
func (i Identity) differs(coordinator Identity) string {
	switch {
	case i.Platform != coordinator.Platform:
		return fmt.Sprintf("it runs on %s, and the exploration was built for %s", i.Platform, coordinator.Platform)
	case i.Go != coordinator.Go:
		return fmt.Sprintf("its txmc was built by %s, and the coordinator's by %s: build both with the same Go", i.Go, coordinator.Go)
	}
	return fmt.Sprintf("it is txmc %s, and the coordinator is txmc %s: install the same on both", i.Build, coordinator.Build)
}

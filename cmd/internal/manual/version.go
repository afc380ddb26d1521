package manual

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Version is that of the command's module, as the go command has recorded it.
func Version() string {
	v := "unknown version"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	return fmt.Sprintf("txmc %s %s %s/%s", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

package scratchtest

import (
	"os"
	"sync"
	"syscall"

	"github.com/txmc/txmc/server/scratch"
)

// enough memory for the servers of all packages that are tested at a time.
const enough = 8 << 30

// inMemory has servers in memory where there is enough of it, unless the environment says
// where they are.
var inMemory = sync.OnceFunc(func() {
	const dir = "/dev/shm"
	var fs syscall.Statfs_t
	if os.Getenv(scratch.Place) != "" || syscall.Statfs(dir, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < enough {
		return
	}
	probe, err := os.MkdirTemp(dir, "txmc-probe-")
	if err != nil {
		return // it cannot be written
	}
	os.Remove(probe)
	os.Setenv(scratch.Place, dir)
})

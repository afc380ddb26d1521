package scratch

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// giveBack removes the segment of shared memory that a PostgreSQL has left which was killed:
// a machine has a few thousand of them, and they outlive their processes. The seventh line
// of postmaster.pid has its key and its number (PostgreSQL, miscadmin.h).
func giveBack(data string) {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return // it has none, or has given it back
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) < 7 {
		return
	}
	f := strings.Fields(lines[6])
	if len(f) != 2 {
		return
	}
	key, err1 := strconv.ParseInt(f[0], 10, 64)
	id, err2 := strconv.Atoi(f[1])
	var is unix.SysvShmDesc
	if err1 != nil || err2 != nil {
		return
	}
	if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &is); err != nil || is.Nattch > 0 || is.Perm.Key != int32(key) {
		return // somebody else's
	}
	unix.SysvShmCtl(id, unix.IPC_RMID, nil)
}

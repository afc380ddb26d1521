package scratch

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

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
	if err1 != nil || err2 != nil {
		return
	}
	// The server's processes were killed. Those that have not ended yet are attached.
	for end := time.Now().Add(attached); ; time.Sleep(10 * time.Millisecond) {
		var is unix.SysvShmDesc
		if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &is); err != nil || is.Perm.Key != int32(key) {
			return // somebody else's
		}
		if is.Nattch == 0 {
			break
		}
		if time.Now().After(end) {
			return
		}
	}
	unix.SysvShmCtl(id, unix.IPC_RMID, nil)
}

// attached is how long processes that were killed may take to end.
const attached = 10 * time.Second

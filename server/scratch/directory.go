//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package scratch

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A server's directory has a file beside it, NAME.lock, which the process that started the
// server holds locked. The lock goes with the process, however that ends. So a lock that can
// be had belongs to a server that nobody uses.

const prefix = "txmc-scratch-"

// longest is how long the directory's name may be, so that those of sockets in it are
// not longer than the operating system allows.
const longest = 80

// Place is the environment variable that names the directory below which servers have
// theirs. Without it that is the directory for temporary files. A file system in memory,
// such as /dev/shm, makes a server that creates many tables or databases faster.
const Place = "TXMC_SCRATCH"

// base is the directory for servers.
func base() string { return reached(cmp.Or(os.Getenv(Place), os.TempDir())) }

// reached is a directory, or /tmp where the servers' user cannot get there.
func reached(dir string) string {
	if len(dir) > longest {
		return "/tmp"
	}
	if os.Getuid() != 0 {
		return dir
	}
	for at := dir; at != "/" && at != "."; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err != nil || info.Mode()&0o001 == 0 {
			return "/tmp"
		}
	}
	return dir
}

// makeDirectory makes and locks the directory, and chooses its owner.
func (s *Server) makeDirectory() error {
	var err error
	if s.owner, err = chooseOwner(s.Kind); err != nil {
		return err
	}
	for try := 0; ; try++ {
		name := filepath.Join(base(), fmt.Sprintf("%s%d-%d", prefix, os.Getpid(), time.Now().UnixNano()%1e9))
		if s.lock, err = lock(name + ".lock"); err != nil {
			return err
		}
		if s.lock != nil {
			s.dir = name
			return errors.Join(os.Mkdir(name, 0o700), s.owner.own(name))
		}
		if try == 100 {
			return errors.New("no name is free")
		}
	}
}

// lock creates and locks a file; nil when somebody else has it.
func lock(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		mine, err1 := f.Stat()
		there, err2 := os.Lstat(name)
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			return f, nil
		}
	}
	f.Close()
	return nil, nil
}

// sweep removes the servers of processes that have ended, here and below the directory for
// temporary files.
func sweep() {
	locks, _ := filepath.Glob(filepath.Join(base(), prefix+"*.lock"))
	others, _ := filepath.Glob(filepath.Join(reached(os.TempDir()), prefix+"*.lock"))
	for _, name := range append(locks, others...) {
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || info.Sys().(*syscall.Stat_t).Uid != uint32(os.Getuid()) {
			continue
		}
		f, err := lock(name)
		if err != nil || f == nil {
			continue
		}
		dir := strings.TrimSuffix(name, ".lock")
		for _, pid := range []string{filepath.Join(dir, "data", "postmaster.pid"), filepath.Join(dir, "pid")} {
			killLeftover(pid, dir)
		}
		giveBack(filepath.Join(dir, "data"))
		if removeAll(dir) == nil {
			os.Remove(name)
		}
		f.Close()
	}
}

// killLeftover ends the server whose number stands in a file, if it is the one of that
// directory.
func killLeftover(file, dir string) {
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 || !strings.Contains(commandLine(pid), dir) {
		return
	}
	killTree(pid)
	for range 500 {
		if !strings.Contains(commandLine(pid), dir) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// owner is the user who runs a server; nil for the one who runs this process.
type owner struct{ credential *syscall.Credential }

// chooseOwner chooses a user other than root, as whom servers refuse to run.
func chooseOwner(kind Kind) (owner, error) {
	if os.Getuid() != 0 {
		return owner{}, nil
	}
	names := map[Kind][]string{Postgres: {"postgres", "nobody"}, MariaDB: {"mysql", "nobody"}}[kind]
	for _, name := range names {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil {
			return owner{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
		}
	}
	return owner{}, fmt.Errorf("%s does not run as root, and there is no user %s", kind, strings.Join(names, " or "))
}

func (o owner) attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: o.credential, Setpgid: true}
}

// own gives a file to the owner.
func (o owner) own(path string) error {
	if o.credential == nil {
		return nil
	}
	return os.Lchown(path, int(o.credential.Uid), int(o.credential.Gid))
}

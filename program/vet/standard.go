package vet

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// The functions that matter, by package. Methods are written Type.Method.
var (
	readsClock = map[string]string{"time": "Now Since Until"}
	waits      = map[string]string{
		"time":    "Sleep After Tick NewTimer NewTicker",
		"context": "WithTimeout WithDeadline WithTimeoutCause WithDeadlineCause",
		"runtime": "Gosched",
	}
	// Numbers that differ from run to run. In the math/rand packages these are the
	// functions that use the common generator.
	throwsDice = map[string]string{
		"math/rand":              "ExpFloat64 Float32 Float64 Int Int31 Int31n Int63 Int63n Intn NormFloat64 Perm Read Seed Shuffle Uint32 Uint64",
		"math/rand/v2":           "ExpFloat64 Float32 Float64 Int Int32 Int32N Int64 Int64N IntN N NormFloat64 Perm Shuffle Uint Uint32 Uint32N Uint64 Uint64N UintN",
		"crypto/rand":            "Int Prime Read Text",
		"hash/maphash":           "MakeSeed",
		"github.com/google/uuid": "New NewString NewRandom NewUUID NewV6 NewV7",
	}
	// Those of them that go on from what they gave in an earlier run.
	goesOn = map[string]string{"github.com/google/uuid": "NewUUID NewV6 NewV7"}
	// What is outside the program.
	touches = map[string]string{
		"os": "Chdir Chmod Chown Chtimes Create CreateTemp Link Lstat Mkdir MkdirAll MkdirTemp NewFile Open OpenFile OpenInRoot OpenRoot Pipe ReadDir ReadFile " +
			"Readlink Remove RemoveAll Rename Stat StartProcess Symlink Truncate WriteFile CopyFS",
		"io/ioutil":     "ReadDir ReadFile TempDir TempFile WriteFile",
		"path/filepath": "EvalSymlinks Glob Walk WalkDir",
		"os/exec":       "Command CommandContext LookPath",
		"net": "Dial DialIP DialTCP DialTimeout DialUDP DialUnix Dialer.Dial Dialer.DialContext Listen ListenIP ListenMulticastUDP ListenPacket ListenTCP ListenUDP " +
			"ListenUnix ListenConfig.Listen ListenConfig.ListenPacket LookupAddr LookupCNAME LookupHost LookupIP LookupMX LookupNS LookupPort LookupSRV LookupTXT " +
			"Interfaces InterfaceAddrs ResolveIPAddr ResolveTCPAddr ResolveUDPAddr",
		"net/http":     "Get Head Post PostForm Client.Do Client.Get Client.Head Client.Post Client.PostForm ListenAndServe ListenAndServeTLS Serve Server.ListenAndServe Server.Serve",
		"net/rpc":      "Dial DialHTTP",
		"net/smtp":     "Dial SendMail",
		"crypto/tls":   "Dial DialWithDialer Listen",
		"database/sql": "Open OpenDB",
		"fmt":          "Scan Scanf Scanln",
	}
)

// standard recognises functions of the standard library.
func (x *inspection) standard(f *types.Func, at ssa.Instruction) (Source, bool) {
	path, name := f.Pkg().Path(), f.Name()
	if recv := f.Signature().Recv(); recv != nil {
		if named := namedType(recv.Type()); named != nil {
			name = named.Obj().Name() + "." + name
		}
	}
	in := func(m map[string]string) bool {
		return slices.Contains(strings.Fields(m[path]), name)
	}
	if x.Repeats && (in(readsClock) || in(waits) || in(throwsDice) && !in(goesOn)) {
		return Source{}, false
	}
	shown := f.Pkg().Name() + "." + name
	switch {
	case starts(f):
		return Source{Check: concurrency, Problem: goroutine(shown)}, true
	case in(readsClock):
		return Source{Check: clock, Problem: Problem{
			shown + " reads the clock",
			"it tells something else in every run, and exploration stops with an error where an operation of the session depends on it",
			"use a constant, or a txmc.Var that holds the time",
		}}, true
	case in(waits):
		return Source{Check: clock, Problem: Problem{
			shown + " waits for time to pass",
			"all orders of transactions are explored anyway, and the session, which is run many times, only takes longer each time",
			"leave it out",
		}}, true
	case in(throwsDice):
		return Source{Check: random, Problem: dice(shown + " is random")}, true
	case strings.HasPrefix(path, "math/rand") && strings.HasPrefix(name, "Rand.") && x.lasting(at):
		return Source{Check: random, Problem: dice(shown + " works on a generator that lasts from run to run")}, true
	case in(touches):
		return Source{Check: outside, Problem: Problem{
			shown + " reaches outside the program",
			"that is done again in every run of the session, nothing undoes it, and an answer that changes stops exploration with an error",
			"keep such data in txmc variables, embed it (//go:embed), or read it once into a package-level variable before",
		}}, true
	}
	return Source{}, false
}

func dice(what string) Problem {
	return Problem{
		what,
		"it differs from run to run, and exploration stops with an error where an operation of the session depends on it",
		"use constants, declare a session for each case, or make a generator with a constant seed in the session",
	}
}

// lasting reports whether a method is called on what a package-level variable
// keeps.
func (x *inspection) lasting(in ssa.Instruction) bool {
	c, ok := in.(ssa.CallInstruction)
	if !ok {
		return false
	}
	args := arguments(c.Common())
	if len(args) == 0 {
		return false
	}
	return slices.ContainsFunc(x.roots(args[0]), func(r root) bool { _, is := r.Value.(*ssa.Global); return is })
}

// reading recognises variables of the standard library that are doors to the
// outside.
func (x *inspection) reading(in ssa.Instruction) (Source, bool) {
	load, ok := in.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return Source{}, false
	}
	g, ok := load.X.(*ssa.Global)
	if !ok || g.Pkg == nil {
		return Source{}, false
	}
	switch g.Pkg.Pkg.Path() + "." + g.Name() {
	case "crypto/rand.Reader":
		return Source{Check: random, Problem: dice("rand.Reader is random")}, !x.Repeats
	case "os.Stdin":
		return Source{Check: outside, Problem: Problem{
			"os.Stdin is outside the program",
			"what is read there in one run is not there in the next, and exploration stops with an error",
			"keep the data in txmc variables, or embed it (//go:embed)",
		}}, true
	case "net/http.DefaultClient":
		return Source{Check: outside, Problem: Problem{
			"http.DefaultClient reaches outside the program",
			"requests are sent again in every run of the session, and an answer that changes stops exploration with an error",
			"write in Go what the other side does, on txmc variables",
		}}, true
	}
	return Source{}, false
}

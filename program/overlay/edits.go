package overlay

import (
	_ "embed"
	"fmt"
	"strings"
)

// Releases are the releases of Go that the edits are made for.
const Releases = "Go 1.25 and Go 1.26"

// edit replaces text that a file has exactly once.
type edit struct{ old, new string }

// change is what happens to one file of the standard library.
type change struct {
	file  string
	edits []edit
}

// The files that are added to packages.
var (
	//go:embed added/runtime.go.txt
	addedRuntime string
	//go:embed added/time.go.txt
	addedTime string
	//go:embed added/sysrand.go.txt
	addedSysrand string
	//go:embed added/net.go.txt
	addedNet string
	//go:embed added/os.go.txt
	addedOS string
)

// addedName is the name of the files that are added.
const addedName = "txmc.go"

var added = map[string]string{"runtime": addedRuntime, "time": addedTime, "crypto/internal/sysrand": addedSysrand, "net": addedNet, "os": addedOS}

// after is an edit that adds lines.
func after(line, more string) edit { return edit{line, line + more} }

const (
	ownRand  = "//go:linkname runtime_rand runtime.rand\n"
	inNow    = "\tif t, ok := txmcNow(); ok {\n\t\treturn %s\n\t}\n"
	stopping = "\ttxmcStopped(%s)\n"
)

// random leads the random numbers of a package to another function of the runtime.
func random(to string) edit {
	return edit{ownRand, "//go:linkname runtime_rand runtime." + to + "\n"}
}

var changes = []change{
	{"runtime/runtime2.go", []edit{
		after("// profiler labels\n", "\ttxmc txmcLocal\n"),
	}},
	{"runtime/proc.go", []edit{
		after("\t\tnewg.bubble = callergp.bubble\n", "\t\tnewg.txmc.inherit(&callergp.txmc)\n"),
		after("\tgp.labels = nil\n", "\tgp.txmc = txmcLocal{}\n"),
	}},
	{"runtime/panic.go", []edit{
		{"\tpreprintpanics(&p)\n", "\tif txmcPanicked(p.arg) {\n\t\trunningPanicDefers.Add(-1)\n\t\tGoexit()\n\t}\n\tpreprintpanics(&p)\n"},
	}},
	// The seeds of maps, and where their iterations begin.
	{"runtime/rand.go", []edit{
		after("\nfunc rand() uint64 {\n", "\tif gp := getg(); gp.txmc.run != nil {\n\t\treturn gp.txmc.seed\n\t}\n"),
		{"func legacy_fastrand() uint32 {\n\treturn uint32(rand())", "func legacy_fastrand() uint32 {\n\treturn uint32(txmcRand())"},
		{"func legacy_fastrandn(n uint32) uint32 {\n\treturn randn(n)", "func legacy_fastrandn(n uint32) uint32 {\n\treturn uint32(uint64(uint32(txmcRand())) * uint64(n) >> 32)"},
		{"func legacy_fastrand64() uint64 {\n\treturn rand()", "func legacy_fastrand64() uint64 {\n\treturn txmcRand()"},
	}},
	{"runtime/alg.go", []edit{
		{"hashkey[i] = uintptr(bootstrapRand())", "hashkey[i] = uintptr(txmcKey(i))"},
		{"key[i] = bootstrapRand()\n", "key[i] = txmcKey(i)\n"},
	}},
	{"runtime/select.go", []edit{{"cheaprandn(uint32(norder + 1))", "txmcSelect(uint32(norder + 1))"}}},
	{"runtime/time.go", []edit{{"//go:linkname timeSleep time.Sleep\n", "//go:linkname timeSleep time.txmcSleep\n"}}},
	{"time/time.go", []edit{
		after("\nfunc Now() Time {\n", fmt.Sprintf(inNow, "t")),
		after("\nfunc Since(t Time) Duration {\n", strings.Replace(fmt.Sprintf(inNow, "now.Sub(t)"), "t, ok :=", "now, ok :=", 1)),
		after("\nfunc Until(t Time) Duration {\n", strings.Replace(fmt.Sprintf(inNow, "t.Sub(now)"), "t, ok :=", "now, ok :=", 1)),
	}},
	{"time/sleep.go", []edit{
		{"\nfunc Sleep(d Duration)\n", "\nfunc txmcSleep(d Duration)\n"},
		after("\nfunc NewTimer(d Duration) *Timer {\n", "\tif r := txmcOf(); r != nil {\n\t\treturn r.timer(d, 0, nil)\n\t}\n"),
		after("\nfunc AfterFunc(d Duration, f func()) *Timer {\n", "\tif r := txmcOf(); r != nil {\n\t\treturn r.timer(d, 0, f)\n\t}\n"),
		{"\treturn stopTimer(t)\n", fmt.Sprintf(stopping, "t") + "\treturn stopTimer(t)\n"},
		{"\tw := when(d)\n", "\tif pending, done := txmcReset(t, d, 0); done {\n\t\treturn pending\n\t}\n\tw := when(d)\n"},
	}},
	{"time/tick.go", []edit{
		{"\tc := make(chan Time, 1)\n", "\tif r := txmcOf(); r != nil {\n\t\treturn (*Ticker)(unsafe.Pointer(r.timer(d, int64(d), nil)))\n\t}\n\tc := make(chan Time, 1)\n"},
		{"\tstopTimer((*Timer)(unsafe.Pointer(t)))\n", fmt.Sprintf(stopping, "(*Timer)(unsafe.Pointer(t))") + "\tstopTimer((*Timer)(unsafe.Pointer(t)))\n"},
		{"\tresetTimer((*Timer)(unsafe.Pointer(t)), when(d), int64(d))\n",
			"\tif _, done := txmcReset((*Timer)(unsafe.Pointer(t)), d, int64(d)); !done {\n\t\tresetTimer((*Timer)(unsafe.Pointer(t)), when(d), int64(d))\n\t}\n"},
	}},
	{"math/rand/rand.go", []edit{random("txmcRand")}},
	{"math/rand/v2/rand.go", []edit{random("txmcRand")}},
	{"hash/maphash/maphash_runtime.go", []edit{random("txmcRand")}},
	{"os/proc.go", []edit{after("\nfunc Exit(code int) {\n", "\ttxmcExit(code)\n")}},
	{"os/tempfile.go", []edit{
		random("txmcOutside"),
		replaced("\t\treturn f, err\n", "\t\ttxmcAt(txmcFresh, name)\n\t\treturn f, err\n"),
		replaced("\t\t\treturn name, nil\n", "\t\t\ttxmcAt(txmcFresh, name)\n\t\t\treturn name, nil\n"),
	}},
	{"net/dnsclient.go", []edit{random("txmcOutside")}},
	{"net/dial.go", []edit{
		after("\nfunc (d *Dialer) DialContext(ctx context.Context, network, address string) (Conn, error) {\n",
			"\tif c, err, known := txmcConnect(network, address); known {\n\t\treturn c, err\n\t}\n"),
	}},
	{"crypto/internal/sysrand/rand.go", []edit{
		after("\nfunc Read(b []byte) {\n", "\tif txmcFill(b) {\n\t\treturn\n\t}\n"),
	}},
}

// apply makes the edits.
func (c *change) apply(source string) (string, error) {
	for _, e := range c.edits {
		if n := strings.Count(source, e.old); n != 1 {
			return "", fmt.Errorf("%s has %q %d times instead of once", c.file, strings.TrimSpace(e.old), n)
		}
		source = strings.Replace(source, e.old, e.new, 1)
	}
	return source, nil
}

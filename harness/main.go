package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// Program is an Explore function and its name.
type Program struct {
	Name    string
	Explore func(*program.Program)
}

// Main explores the programs as the environment tells it to, reports on
// [Descriptor], and ends the process. An interrupt ends it early, with the
// counts so far.
func Main(programs ...Program) {
	config, ok := os.LookupEnv(Variable)
	if !ok {
		fatal("this program was built by \"txmc explore\", which runs it; it does nothing by itself")
	}
	os.Unsetenv(Variable)
	var opts Options
	if err := json.Unmarshal([]byte(config), &opts); err != nil {
		fatal(fmt.Sprintf("%s does not hold the options: %v", Variable, err))
	}
	keepToSelf(Descriptor)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	SpareMemory()
	h := &harness{opts: opts, out: newStream(os.NewFile(Descriptor, "reports"))}
	if opts.Version == Version {
		go h.tick()
		if err := h.load(); err != nil {
			h.out.send(report.NewError(opts.Package, "", "", err))
		} else {
			h.run(ctx, programs)
		}
	} else {
		h.out.send(report.NewError(opts.Package, "", "", fmt.Errorf("the txmc command and the module's github.com/txmc/txmc do not fit "+
			"(protocol %d and %d): install the command in the version that go.mod names, or update go.mod", opts.Version, Version)))
	}
	h.out.send(End{TypeEnd})
	h.out.flush()
	// Client code may be stuck in a goroutine that nothing else can end.
	os.Exit(0)
}

func fatal(message string) {
	fmt.Fprintln(os.Stderr, "txmc: "+message)
	os.Exit(2)
}

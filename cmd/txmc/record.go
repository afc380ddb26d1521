package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"

	"github.com/txmc/txmc/cmd/internal/signals"
	"github.com/txmc/txmc/server/requests"
)

// recordCmd is the command line of txmc record.
type recordCmd struct {
	Listen string `default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"Where to listen; ${default} by default."`
	To     string `required:"" placeholder:"URL" help:"Where the application is, as http://127.0.0.1:3000."`
	Out    string `default:"requests.har" placeholder:"FILE" help:"The HTTP archive; ${default} by default."`

	to *url.URL
}

// Help is what txmc record --help says beyond the flags.
func (*recordCmd) Help() string {
	return `Is a proxy in front of an application: a browser, a test suite or curl sends its requests to --listen. They are written, after
each one, into an HTTP archive, which a file of requests names: "requests: requests.har". See docs/requests.md.

Exit status: 0 when it was asked to end; 2 when it could not listen or write, or nothing was asked.`
}

func (x *recordCmd) check() (err error) {
	x.to, err = url.Parse(x.To)
	if err != nil || x.to.Scheme != "http" && x.to.Scheme != "https" || x.to.Host == "" {
		return fmt.Errorf("--to=%s: give the application's address, as http://127.0.0.1:3000", x.To)
	}
	if !requests.IsRecording(x.Out) {
		return fmt.Errorf("--out=%s: give a name that ends with .har, by which files of requests know it", x.Out)
	}
	return nil
}

func (x *recordCmd) run(stdout, stderr *os.File) int {
	sig := signals.Catch()
	defer sig.Stop()
	l, err := net.Listen("tcp", x.Listen)
	if err != nil {
		fmt.Fprintf(stderr, "txmc: --listen=%s: %v\n", x.Listen, err)
		return statusError
	}
	fmt.Fprintf(stdout, "send requests to http://%s\n", l.Addr())
	r := &requests.Recorder{To: x.to, Out: x.Out, Log: stdout}
	server := &http.Server{Handler: r}
	context.AfterFunc(sig.Soft, func() { server.Shutdown(sig.Hard) })
	_ = server.Serve(l) // it ends by Shutdown
	if r.Requests() == 0 {
		fmt.Fprintln(stderr, "txmc: nothing was asked")
		return statusError
	}
	fmt.Fprintf(stdout, "%d requests in %s\n", r.Requests(), x.Out)
	return statusOK
}

package program

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/program/behaviour"
)

// spinning tells the process of a test to spin. Nothing ends an empty loop but its process.
const spinning = "TXMC_TEST_SPINS"

func spin(running chan<- bool) {
	running <- true
	//lint:ignore SA5002 it is to spin
	for { // the line
	}
}

// The line of an empty loop is found wherever in it the goroutine is stopped.
func TestLooping(t *testing.T) {
	if os.Getenv(spinning) == "" {
		command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLooping$")
		command.Env = append(os.Environ(), spinning+"=yes")
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	running := make(chan bool)
	go spin(running)
	<-running
	time.Sleep(10 * time.Millisecond) // or it is stopped in the send
	code, err := os.ReadFile("spinning_test.go")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(code), "{ // the line\n")
	line := 1 + strings.Count(before, "\n")
	at := behaviour.Location{File: "spinning_test.go", Line: nowhere, Func: "github.com/txmc/txmc/program.spin"}
	for range 300 {
		if got := looping(at).Line; got != line {
			t.Fatalf("line %d, want %d", got, line)
		}
	}
	os.Exit(0) // it spins on
}

package load

import (
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestMain lets the test's binary be the process that starts another and is killed.
func TestMain(m *testing.M) {
	if os.Getenv("TXMC_TEST_PARENT") == "" {
		os.Exit(m.Run())
	}
	cmd := exec.Command("sleep", "1000")
	cmd.Stdout = os.Stdout
	ownGroup(cmd)
	if err := start(cmd, nil); err != nil {
		panic(err)
	}
	io.WriteString(os.Stdout, "started")
	time.Sleep(time.Hour)
}

// A process ends when the one that has started it is killed.
func TestProcessEndsWithItsParent(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "TXMC_TEST_PARENT=1")
	parent.Stdout = w
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := r.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // it was killed
	r.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := r.Read(make([]byte, 10)); err != io.EOF { // the other one has the pipe open too
		t.Errorf("the process lives on: %v", err)
	}
}

// Command probe prints what a session sees, with the overlay: twice the same for
// each of two sessions.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/txmc/txmc/program/repeat"
)

// session runs what a session would, on a goroutine of its own.
func session(seed uint64, body func(print func(...any))) string {
	done := make(chan string)
	go func() {
		run := repeat.Begin(seed)
		defer run.Active(false)
		run.Exits(exits)
		run.Panics(panics)
		run.Prints(keep)
		if listening {
			run.Files(tell)
		}
		var b strings.Builder
		body(func(args ...any) { fmt.Fprintln(&b, args...) })
		done <- b.String()
	}()
	return <-done
}

// timers prints what happens when, to the millisecond.
func timers(print func(...any)) {
	began := time.Now()
	since := func() time.Duration { return time.Since(began).Round(time.Millisecond) }
	print("start", began.UTC().Format(time.RFC3339))
	time.Sleep(time.Hour)
	print("slept", since())
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	select {
	case <-time.After(time.Second):
		print("after", since(), ctx.Err())
	case <-ctx.Done():
		print("too late")
	}
	<-ctx.Done()
	print("deadline", since(), ctx.Err())
	tick := time.NewTicker(time.Second)
	for range 3 {
		<-tick.C
		print("tick", since())
	}
	tick.Reset(time.Minute)
	<-tick.C
	print("tick", since())
	tick.Stop()
	timer := time.NewTimer(time.Second)
	print("stopped", timer.Stop(), timer.Stop(), timer.Reset(time.Minute), timer.Reset(2*time.Minute))
	<-timer.C
	print("timer", since(), timer.Stop())
	calls := 0
	called := time.AfterFunc(time.Second, func() { calls++ })
	time.Sleep(500 * time.Millisecond)
	print("calls", calls)
	time.Sleep(time.Second)
	print("calls", calls, called.Reset(time.Second))
	time.Sleep(2 * time.Second)
	print("calls", calls, since())
}

// goroutines prints what several see.
func goroutines(print func(...any)) {
	var all sync.WaitGroup
	seen := make([]string, 4)
	for i := range seen {
		all.Go(func() {
			time.Sleep(time.Duration(4-i) * time.Second)
			seen[i] = fmt.Sprint(i, time.Now().UTC(), rand.Int63())
		})
	}
	all.Wait()
	print(rand.Int63(), seen)
}

// sockets prints what a session reaches by an address that leads to no file.
func sockets(print func(...any)) {
	dir := repeat.Serve(func() (net.Conn, error) {
		one, other := net.Pipe()
		other.Close()
		return one, nil
	})
	print(dir, repeat.Serve(func() (net.Conn, error) { return nil, errors.New("closed today") }))
	for _, address := range []string{dir + "/.s.PGSQL.5432", "/txmc/2/x", "/txmc/3/x", "/txmc/x", "/txmc/x/x", repeat.Host(dir) + ":5432", repeat.Host("/txmc/2") + ":1", "127.84.0.0:1", "127.85.0.1:1"} {
		network := "unix"
		if address[0] != '/' {
			network = "tcp"
		}
		c, err := net.Dial(network, address)
		if err == nil {
			_, err = c.Read(nil)
		}
		if network == "tcp" && errors.Is(err, syscall.ECONNREFUSED) {
			err = errors.New("refused")
		}
		print(address, err)
	}
}

// away prints how long it took that the session's goroutine was away, in the
// session's time, while another one waits for a timer.
func away(print func(...any)) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	ticks := 0
	go func() {
		for range tick.C {
			ticks++
		}
	}()
	began := time.Now()
	repeat.Apart(func() { time.Sleep(100 * time.Millisecond) })
	print("away", time.Since(began).Round(time.Millisecond), ticks)
}

// stopped prints the same when the machine stops the goroutine as it comes back, or leaves: others want its
// processor, and what it does apart is not interrupted before it ends.
func stopped(print func(...any)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var over atomic.Bool
	repeat.Apart(func() {
		for range 10 {
			go func() {
				for !over.Load() {
					busy(2 * time.Millisecond)
					runtime.Gosched()
				}
			}()
		}
	})
	defer over.Store(true)
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	began := time.Now()
	for range 20 {
		repeat.Apart(func() { busy(25 * time.Millisecond) })
		busy(0)
	}
	print("stopped", time.Since(began).Round(time.Second))
}

// exits prints what is done in place of ending the process, by the run's goroutines.
func exits(code int) {
	fmt.Println("exit", code)
	runtime.Goexit()
}

// asked has an element for each panic that was to end the process.
var asked = make(chan bool, 1)

// panics prints what is asked in place of ending the process by a panic.
func panics(v any) bool {
	fmt.Println("panic", v)
	asked <- true
	return true
}

// exiting ends goroutines of the session.
func exiting(print func(...any)) {
	for code := range 2 {
		ended := make(chan bool)
		go func() {
			defer close(ended)
			os.Exit(code)
		}()
		<-ended
	}
	go func() {
		defer func() { panic(fmt.Sprint("after ", recover())) }()
		panic("one")
	}()
	<-asked
	print("goes on")
}

// busy computes for a time without a call, so that nothing interrupts it.
func busy(d time.Duration) (n int) {
	for range int64(d) / 2 {
		n += n<<3 ^ 5
	}
	return n
}

// printed prints what goroutines of the session were to print: what is kept is not printed.
func printed(print func(...any)) {
	for _, kept := range []bool{true, false} {
		keeps = kept
		fmt.Println("a line, kept:", kept)
		log.Print("a log, kept: ", kept)
		n, err := os.Stderr.WriteString("an error")
		m, copied := io.Copy(os.Stdout, strings.NewReader("copied\n"))
		print(n, err, m, copied)
	}
	ended := make(chan bool)
	keeps = true
	go func() {
		defer close(ended)
		fmt.Println("of another goroutine")
	}()
	<-ended
	repeat.Apart(func() { fmt.Println("apart") })
	print(fmt.Sprintf("%q", output))
}

// keeps says whether what a session prints is kept, in output.
var (
	keeps  bool
	output []string
)

func keep(b []byte) bool {
	if len(b) > 0 {
		output = append(output, string(b))
	}
	return keeps
}

func main() {
	if !repeat.On() {
		fmt.Println("no overlay")
		return
	}
	began := time.Now()
	fmt.Print(session(1, timers), session(1, sockets), session(1, away), session(1, stopped), session(1, exiting))
	log.SetFlags(log.Lshortfile)
	fmt.Print(session(1, printed))
	keeps, output = false, nil
	listening = true
	fmt.Print(session(1, told))
	listening = false
	for _, body := range []func(func(...any)){timers, goroutines} {
		one, two := session(1, body), session(2, body)
		for range 5 {
			if again := session(1, body); again != one {
				fmt.Println("differs:", one, again)
			}
		}
		fmt.Println("sessions differ", one != two)
	}
	var apart time.Duration
	session(1, func(func(...any)) {
		repeat.Apart(func() { apart = time.Since(began) })
	})
	fmt.Println("real time", apart > 0 && apart < time.Hour, time.Since(began) < time.Hour)
}

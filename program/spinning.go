package program

import (
	"runtime"

	"github.com/txmc/txmc/program/behaviour"
)

// The compiler gives the jump of an empty loop, for {}, no line of its own: the runtime calls
// it line 1 of the file. The instruction before the jump has the line of the loop.

// nowhere is the line of such a jump.
const nowhere = 1

// nearest is how many bytes before a jump a line is looked for.
const nearest = 16

// preemption is the function that the runtime has a goroutine call to stop it in a loop.
const preemption = "runtime.asyncPreempt"

// looping adds the line to a location that has none. There a goroutine is in an empty loop of
// the location's function, and the line is the line of the loop.
func looping(at behaviour.Location) behaviour.Location {
	if at.Line != nowhere {
		return at
	}
	records := make([]runtime.StackRecord, runtime.NumGoroutine()+16)
	n, ok := runtime.GoroutineProfile(records)
	if !ok { // goroutines were started meanwhile
		return at
	}
	for _, r := range records[:n] {
		frames := runtime.CallersFrames(r.Stack())
		preempted := false
		for f, more := frames.Next(); more; f, more = frames.Next() { // the last one is the runtime's
			switch {
			case f.Function != at.Func:
			case f.Line == nowhere:
				at.Line = lineBefore(f.PC)
				return at
			case preempted: // at the instruction before the jump, this time
				at.Line = f.Line
				return at
			}
			preempted = f.Function == preemption
		}
	}
	return at
}

// lineBefore is the line of the last instruction before pc that has one.
func lineBefore(pc uintptr) int {
	for p := pc; p > pc-nearest; p-- {
		if f := runtime.FuncForPC(p); f != nil {
			if _, line := f.FileLine(p); line != nowhere {
				return line
			}
		}
	}
	return nowhere
}

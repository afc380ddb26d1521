package engine

import (
	"math"
	"strconv"
	"time"

	"github.com/txmc/txmc/pg/engine/emscripten"
)

// Times that a session has set for its end and that of its statements. The clock of an instance
// stands while it answers: so who calls it ends what takes too long.

// StatementTimeout, LockTimeout and IdleTimeout are the session's statement_timeout, lock_timeout and
// idle_in_transaction_session_timeout; 0: none.
func (x *Instance) StatementTimeout() time.Duration { return x.milliseconds("statement_timeout") }

// LockTimeout is the session's lock_timeout; 0: none.
func (x *Instance) LockTimeout() time.Duration { return x.milliseconds("lock_timeout") }

// IdleTimeout is the session's idle_in_transaction_session_timeout; 0: none.
func (x *Instance) IdleTimeout() time.Duration {
	return x.milliseconds("idle_in_transaction_session_timeout")
}

func (x *Instance) milliseconds(setting string) time.Duration {
	if x.broken != nil || x.Hungry() {
		return 0
	}
	n, err := strconv.Atoi(x.call.Setting(setting))
	if err != nil {
		return 0
	}
	return time.Duration(n) * time.Millisecond
}

const sleep = 2626 // pg_sleep() in pg_proc

// SleepHooks are Hooks for which time passes in pg_sleep().
type SleepHooks interface {
	Hooks
	// Sleep waits, or ends the statement.
	Sleep(c *Call, d time.Duration)
}

// sleeps lets time pass in pg_sleep().
func (x *Instance) sleeps(p *emscripten.Process, call uint32) {
	const args = 20 // FunctionCallInfoBaseData.args
	h, ok := x.hooks.(SleepHooks)
	if !ok || x.injecting > 0 {
		return
	}
	at := p.Word(call + args) // of a double precision number
	seconds := math.Float64frombits(uint64(p.Word(at)) | uint64(p.Word(at+4))<<32)
	const most = 1e6 // about twelve days
	if seconds > 0 {
		h.Sleep(&x.call, time.Duration(min(seconds, most)*float64(time.Second)))
	}
}

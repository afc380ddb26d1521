// Long jumps, in Emscripten's way.
//
// Code that calls setjmp uses imports invoke_* to call functions that may jump. The host calls
// the function from the table and catches a jump. The program then finds where the jump goes. A
// function of wazero cannot be entered twice at once, so each slot of the table has a pool of
// them; one that ended with an error can be used again.

package emscripten

import (
	"errors"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental/table"
)

type longJump struct{}

func (longJump) Error() string { return "long jump" }

// IsLongJump reports whether the program jumped out of the call that gave the error.
func IsLongJump(err error) bool { return errors.As(err, new(longJump)) }

// atSlot is the pool of the function in a slot of the table.
func (p *Process) atSlot(slot uint32, params, results []api.ValueType) *pool {
	q := p.jumps[slot]
	if q == nil {
		q = &pool{make: func() api.Function { return table.LookupFunction(p.mod, 0, slot, params, results) }}
		p.jumps[slot] = q
	}
	return q
}

var i32s = []api.ValueType{
	api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32,
	api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32,
}

// CallSlot calls the function in a slot of the table, for callbacks. All of its
// parameters are i32. An error goes on to the one who called the program.
func (p *Process) CallSlot(slot uint32, result bool, args ...uint64) uint64 {
	results := i32s[:0]
	if result {
		results = i32s[:1]
	}
	r, err := p.run(p.atSlot(slot, i32s[:len(args)], results), args)
	if err != nil {
		panic(err)
	}
	return r
}

// invoke is invoke_*(slot, arguments …) for functions of a signature.
func invoke(params, results []api.ValueType) func(*Process, []uint64) {
	return func(p *Process, st []uint64) {
		q := p.atSlot(uint32(st[0]), params, results)
		copy(st, st[1:])
		sp := p.Must("emscripten_stack_get_current")
		f := q.get()
		err := f.CallWithStack(p.ctx, st)
		q.put(f)
		if err == nil {
			return
		}
		p.Must("_emscripten_stack_restore", sp)
		if !IsLongJump(err) {
			panic(err)
		}
		p.Must("setThrew", 1, 0)
	}
}

// callSignalHandler is __call_sighandler(handler, signal).
func callSignalHandler(p *Process, st []uint64) {
	p.CallSlot(uint32(st[0]), false, uint64(uint32(st[1])))
}

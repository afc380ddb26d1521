package source

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// interpreter looks at one call.
type interpreter struct {
	*finder
	params map[string]*object // what parameters point to
	call   *Call
	depth  int
	stack  []*ssa.Function
	unsure bool // the function that is looked at may not have been called: see surely

	noted     int                         // statements
	recursion map[*ssa.Function]token.Pos // of functions on the stack: where they call themselves
}

// interpreter is one that looks at the call.
func (f *finder) interpreter(c *Call) *interpreter {
	return &interpreter{finder: f, params: map[string]*object{}, call: c, recursion: map[*ssa.Function]token.Pos{}}
}

// frame is a function that is looked at.
type frame struct {
	*interpreter
	fn     *ssa.Function
	values map[ssa.Value]*Value
	from
	looping   map[*ssa.BasicBlock]bool
	block     *ssa.BasicBlock
	deferred  []ssa.CallInstruction
	returned  []*Value
	when      [][]Guard           // of returned: the guards within the function
	pending   map[*ssa.Phi]*Value // whose edges are not all known yet
	unreached map[*ssa.BasicBlock]bool
}

// from is where a function is called.
type from struct {
	free  []*Value
	outer []Guard // of the call
	loop  bool    // the call may be repeated
}

// Bounds of what is followed.
const (
	mostDepth = 24
	mostCalls = 4000 // of one exported function
)

// run looks at a function with its arguments and returns what it returns: a Tuple when
// that is several values.
func (in *interpreter) run(fn *ssa.Function, args, free []*Value, guards []Guard, loop bool, at token.Pos) *Value {
	in.depth++
	in.looked[fn] = true
	if len(in.stack) >= mostDepth || in.depth > mostCalls || slices.Contains(in.stack, fn) || fn.Blocks == nil {
		if fn.Blocks != nil && slices.Contains(in.stack, fn) {
			in.recursion[fn] = at
		}
		return results(fn.Signature, nil)
	}
	before := in.noted
	in.stack = append(in.stack, fn)
	defer func() {
		in.stack = in.stack[:len(in.stack)-1]
		if again, ok := in.recursion[fn]; ok && in.noted > before {
			in.unknown(again, "recursion of "+fn.Name()+" is followed once")
		}
		delete(in.recursion, fn)
	}()
	f := &frame{interpreter: in, fn: fn, values: map[ssa.Value]*Value{}, from: from{free, guards, loop}, looping: cyclic(fn), pending: map[*ssa.Phi]*Value{}, unreached: map[*ssa.BasicBlock]bool{}}
	for i, p := range fn.Params {
		f.values[p] = unknown
		if i < len(args) && args[i] != nil {
			f.values[p] = args[i]
		}
	}
	for _, b := range order(fn) {
		f.block = b
		if f.dead(b) {
			f.unreached[b] = true
			continue
		}
		for _, instr := range b.Instrs {
			f.instruction(instr)
		}
	}
	f.completed()
	return f.correlated(results(fn.Signature, f.returned))
}

// results joins what the returns of a function return.
func results(sig *types.Signature, returned []*Value) *Value {
	n := sig.Results().Len()
	if n == 1 {
		return either(returned...)
	}
	t := &Value{Op: Tuple}
	for i := range n {
		var list []*Value
		for _, r := range returned {
			list = append(list, r.Args[i])
		}
		t.Args = append(t.Args, either(list...))
	}
	return t
}

// order lists the blocks so that each comes after those before it, and the body of a
// loop before what follows the loop.
func order(fn *ssa.Function) (list []*ssa.BasicBlock) {
	seen := make([]bool, len(fn.Blocks))
	var visit func(*ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		seen[b.Index] = true
		for _, s := range slices.Backward(b.Succs) {
			if !seen[s.Index] {
				visit(s)
			}
		}
		list = append(list, b)
	}
	visit(fn.Blocks[0])
	slices.Reverse(list)
	return list
}

// cyclic tells which blocks may be repeated.
func cyclic(fn *ssa.Function) map[*ssa.BasicBlock]bool {
	all := map[*ssa.BasicBlock]bool{}
	for _, b := range fn.Blocks {
		seen := map[*ssa.BasicBlock]bool{}
		for queue := slices.Clone(b.Succs); len(queue) > 0; queue = queue[1:] {
			if s := queue[0]; !seen[s] {
				seen[s] = true
				queue = append(queue, s.Succs...)
			}
		}
		all[b] = seen[b]
	}
	return all
}

// guards are the conditions that hold where the block is: those of the branches that
// dominate it.
func (f *frame) guards() []Guard {
	list := slices.Clone(f.outer)
	for d, b := f.block.Idom(), f.block; d != nil; d, b = d.Idom(), d {
		last, ok := d.Instrs[len(d.Instrs)-1].(*ssa.If)
		if !ok || len(b.Preds) != 1 || f.values[last.Cond] == nil {
			continue
		}
		g := Guard{f.values[last.Cond], d.Succs[0] == b}
		if g.known() {
			list = append(list, g)
		}
		list = append(list, g.implied()...)
	}
	return list
}

// known reports whether anything is known of what the condition comes from.
func (g Guard) known() (yes bool) {
	g.If.Walk(func(v *Value) { yes = yes || v.Op == Param || v.Statement != nil || v.Path == "loop" })
	return yes
}

// value is what is known of an operand.
func (f *frame) value(v ssa.Value) *Value {
	if known := f.values[v]; known != nil {
		return known
	}
	switch v := v.(type) {
	case *ssa.Const:
		return constantOf(v)
	case *ssa.FreeVar:
		for i, free := range f.fn.FreeVars {
			if free == v && i < len(f.free) {
				return f.free[i]
			}
		}
	case *ssa.Function:
		return &Value{Op: Closure, Type: v.Type(), fn: v}
	case *ssa.Global:
		f.mentions(v)
		return pointer(f.global(v), v.Type())
	}
	return unknown
}

func constantOf(c *ssa.Const) *Value {
	if c.Value == nil {
		if _, basic := c.Type().Underlying().(*types.Basic); !basic {
			if _, composed := c.Type().Underlying().(*types.Struct); composed {
				return &Value{Op: Struct, Type: c.Type(), cell: cell{newObject(nil), ""}}
			}
		}
		return &Value{Op: Nil, Type: c.Type()}
	}
	return &Value{Op: Const, Type: c.Type(), Const: c.Value}
}

// instruction looks at one instruction.
func (f *frame) instruction(instr ssa.Instruction) {
	switch i := instr.(type) {
	case *ssa.Store:
		if load, ok := i.Val.(*ssa.UnOp); ok && load.Op == token.MUL && load.X == i.Addr {
			return // of a result that has a name: see late
		}
		if c, ok := f.target(f.value(i.Addr)); ok {
			v := f.value(i.Val)
			if !f.surely() {
				v = v.perhaps()
			}
			c.store(v, len(f.guards()) == 0)
		}
	case *ssa.MapUpdate:
		f.mapped(i)
	case *ssa.Return:
		f.returns(i)
	case *ssa.If:
		f.decides(i)
	case *ssa.Defer:
		f.deferred = append(f.deferred, i)
	case *ssa.RunDefers:
		for _, d := range slices.Backward(f.deferred) {
			f.calls(d)
		}
		f.deferred = nil
	case *ssa.Go:
		f.calls(i)
	case ssa.Value:
		if v := f.computed(i); v != nil {
			f.values[i] = v
		}
	}
}

func (f *frame) returns(i *ssa.Return) {
	t := &Value{Op: Tuple}
	for _, r := range i.Results {
		t.Args = append(t.Args, f.late(r))
	}
	if len(t.Args) == 1 {
		t = t.Args[0]
	}
	f.returned, f.when = append(f.returned, t), append(f.when, f.guards()[len(f.outer):])
}

// late is a result: of a variable what it holds when the function returns. The order of
// return v, row.Scan(&v) is open in Go's specification, and its compiler reads v last.
func (f *frame) late(r ssa.Value) *Value {
	if load, ok := r.(*ssa.UnOp); ok && load.Op == token.MUL && load.Block() == f.block {
		if _, variable := load.X.(*ssa.Alloc); variable {
			return f.unary(load)
		}
	}
	return f.value(r)
}

// computed is the value of an instruction.
func (f *frame) computed(v ssa.Value) *Value {
	switch v := v.(type) {
	case *ssa.Alloc:
		return pointer(newObject(nil), v.Type())
	case *ssa.Call:
		return f.calls(v)
	case *ssa.BinOp:
		return binary(v, f.value(v.X), f.value(v.Y))
	case *ssa.UnOp:
		return f.unary(v)
	case *ssa.Phi:
		return f.merged(v)
	case *ssa.Extract:
		if t := f.value(v.Tuple); t.Op == Tuple && v.Index < len(t.Args) {
			return t.Args[v.Index]
		} else if t.Op != Unknown {
			return apply("", t)
		}
		return unknown
	case *ssa.MakeClosure:
		c := &Value{Op: Closure, Type: v.Type(), fn: v.Fn.(*ssa.Function)}
		for _, b := range v.Bindings {
			c.Args = append(c.Args, f.value(b))
		}
		return c
	}
	return f.memory(v)
}

// merged is one of several values. What a loop adds is not known yet.
func (f *frame) merged(v *ssa.Phi) *Value {
	var list []*Value
	for i, e := range v.Edges {
		if f.never(v.Block().Preds[i], v.Block()) {
			continue
		}
		if _, known := f.values[e]; known || isConst(e) {
			list = append(list, f.value(e))
		} else {
			f.pending[v] = nil
		}
	}
	all := either(list...)
	if _, open := f.pending[v]; open {
		all = apply("loop", all)
		f.pending[v] = all
	}
	return all
}

// completed adds what loops add to values: the parameters and results that it comes from.
func (f *frame) completed() {
	for phi, v := range f.pending {
		var leaves []*Value
		for i, e := range phi.Edges {
			if f.never(phi.Block().Preds[i], phi.Block()) {
				continue
			}
			f.value(e).Walk(func(part *Value) {
				if part.Statement != nil || part.Op == Param {
					leaves = append(leaves, part)
				}
			})
		}
		v.Args = append(v.Args, leaves[:min(len(leaves), mostAlternatives)]...)
	}
}

func isConst(v ssa.Value) bool {
	_, ok := v.(*ssa.Const)
	return ok
}

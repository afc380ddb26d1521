package vet

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// concurrent recognises goroutines and channels. Where select repeats itself it is like
// any other use of a channel.
func concurrent(in ssa.Instruction, repeats bool) (Problem, bool) {
	channel := Problem{
		Effect:  "sessions run one at a time and not beside each other, and exploration stops with an error where one waits for another",
		Instead: "share a txmc.Var instead, or keep a slice",
	}
	switch in := in.(type) {
	case *ssa.Go:
		return goroutine("this"), true
	case *ssa.Send:
		channel.What = "this sends on a channel"
	case *ssa.Select:
		channel.What = "this is a select"
		if repeats {
			break
		}
		channel.Effect = "which case is taken is chosen at random or by what runs beside, and the session does not repeat itself"
		channel.Instead = "decide by what the transaction reads"
	case *ssa.UnOp:
		if in.Op == token.ARROW {
			channel.What = "this receives from a channel"
		}
	case *ssa.MakeChan:
		channel.What = "this makes a channel"
	case ssa.CallInstruction:
		if b, ok := in.Common().Value.(*ssa.Builtin); ok && b.Name() == "close" {
			channel.What = "this closes a channel"
		}
	}
	return channel, channel.What != ""
}

// goroutine says what is the matter with what starts one.
func goroutine(what string) Problem {
	return Problem{
		what + " starts a goroutine",
		"operations of a Session or a Tx on it are an error, as are SQL statements beside another goroutine's; what else it does happens at no certain moment",
		"do it in the session, or declare another session with p.Session",
	}
}

// starts are functions that start goroutines.
func starts(f *types.Func) bool {
	switch f.FullName() {
	case "(*sync.WaitGroup).Go", "(*golang.org/x/sync/errgroup.Group).Go", "(*golang.org/x/sync/errgroup.Group).TryGo", "time.AfterFunc":
		return true
	}
	return false
}

package source

import (
	"go/types"
	"strings"
)

// Invariants of an application: exported functions Invariant…(context.Context, *sql.DB) error,
// which return an error when what the database holds is wrong. They are no calls: nobody runs
// them at the same time as others.

// isInvariant reports whether a function is an invariant.
func isInvariant(fn *types.Func) bool {
	sig := fn.Type().(*types.Signature)
	if !strings.HasPrefix(fn.Name(), "Invariant") || sig.Recv() != nil || sig.Params().Len() != 2 || sig.Results().Len() != 1 {
		return false
	}
	is := func(v *types.Var, name string) bool { return types.TypeString(v.Type(), nil) == name }
	return is(sig.Params().At(0), "context.Context") && is(sig.Params().At(1), "*database/sql.DB") && is(sig.Results().At(0), "error")
}

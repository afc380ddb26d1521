package generate

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/source"
)

// What programs tell of the results of calls.

// failing tells that a call has failed which may not have found the version of a row that it has read.
func failing(call *source.Call, results []string) string {
	sig, last := call.Takes(), results[len(results)-1]
	switch {
	case !call.Versions:
		return ""
	case call.Handler != nil:
		return fmt.Sprintf("\t\tif status(%s) >= \"400\" {\n\t\t\ts.Failed()\n\t\t}\n", last)
	case types.TypeString(sig.Results().At(len(results)-1).Type(), nil) == "error":
		return fmt.Sprintf("\t\tif %s != nil {\n\t\t\ts.Failed()\n\t\t}\n", last)
	}
	return ""
}

// observed are the results of a call as an outcome has them.
func (f *File) observed(p Program, call *source.Call, results []string) string {
	sig, handles := call.Takes(), call.Handler != nil
	list := slices.Clone(results)
	for i := range list {
		if p.Refuses && handles {
			list[i] = "status(" + list[i] + ")"
		} else if p.Refuses && types.TypeString(sig.Results().At(i).Type(), nil) == "error" {
			list[i] += " != nil"
		}
	}
	return strings.Join(list, ", ")
}

// The server is PostgreSQL 18. It can answer as an older one where the two differ in an error's code.

package engine

import (
	"strings"

	"github.com/txmc/txmc/pg/engine/emscripten"
)

// Newest is the version of the server, and Oldest the first one as which it can answer.
const Newest, Oldest = 18, 13

// Version makes the server answer as one of that version; 0 is the newest.
func (x *Instance) Version(n int) { x.version = n }

// The codes of a row that RESTRICT keeps: since PostgreSQL 18 the standard's (ri_triggers.c, ri_ReportViolation).
const restrictViolation, foreignKeyViolation = "23001", "23503"

// older changes an error that an older server words otherwise.
func (x *Instance) older(p *emscripten.Process, code, routine string) {
	if x.version == 0 || x.version >= Newest || code != restrictViolation || routine != "ri_ReportViolation" {
		return
	}
	p.Must("errcode", uint64(sqlState(foreignKeyViolation)))
	data := uint32(p.Must("CopyErrorData"))
	for _, f := range []struct {
		at             uint32
		report, is, as string
	}{
		{errorMessage, "errmsg_internal", " violates RESTRICT setting of foreign key constraint ", " violates foreign key constraint "},
		{errorDetail, "errdetail_internal", " is referenced from table ", " is still referenced from table "},
	} {
		if at := p.Word(data + f.at); at != 0 {
			x.says(f.report, strings.Replace(p.String(at), f.is, f.as, 1))
		}
	}
}

// says gives a text to the error under way.
func (x *Instance) says(report, text string) {
	p := x.proc
	args := p.StackString("    ")
	args = (args + 3) &^ 3
	p.PutWord(args, p.StackString(text))
	p.Must(report, uint64(p.StackString("%s")), uint64(args))
}

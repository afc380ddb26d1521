// Errors that depend on where PostgreSQL runs: on its memory, its files, its parts, or on other processes. On a server
// the same statement may succeed, so that a client which catches such an error would go on where it never does.

package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/pg/engine/emscripten"
)

// local are the classes of SQLSTATE, and single codes, of such errors (PostgreSQL documentation, appendix A).
var local = []string{
	"53",    // insufficient resources
	"54001", // the stack's depth
	"57P",   // the server shuts down, or has crashed
	"58",    // system errors: files
	"F0",    // the configuration's file
	"XX",    // internal errors
}

// ofClient are the functions that raise an error which a client has asked for, with any code.
var ofClient = []string{"exec_stmt_raise", "exec_stmt_assert"}

// parts are words of messages of 0A000 and 42704 that depend on what the server is built with, or has installed.
var parts = []string{"is not available", "for encoding \"UTF8\" does not exist", "built with", "this build", "on this platform", "unsupported XML feature", "compression method"}

// currentOf is the function that looks for the row of a cursor (executor/execCurrent.c).
const currentOf = "execCurrentOf"

// undefinedObject is the SQLSTATE of collations that are not there.
const undefinedObject = "42704"

// Fields of ErrorData (utils/elog.h).
const (
	errorData    = 0  // elevel
	errorMessage = 32 // message
	errorDetail  = 36 // detail
)

// onError is told of errfinish(filename, lineno, funcname), with the error that is about to be raised or sent.
func onError(p *emscripten.Process, st []uint64) {
	x, ok := p.Owner.(*Instance)
	if !ok || x.told {
		return
	}
	code, routine := sqlText(uint32(p.Must("geterrcode"))), ""
	if st[2] != 0 {
		routine = p.String(uint32(st[2]))
	}
	x.older(p, code, routine)
	if x.hooks != nil && routine == currentOf {
		x.tell("WHERE CURRENT OF does not find the row of its cursor here: update the row by its key, or leave this out of the test")
		return
	}
	if x.hooks == nil || !isLocal(code) && code != featureNotSupported && code != undefinedObject {
		return
	}
	if slices.Contains(ofClient, routine) {
		return
	}
	x.told = true
	defer func() { x.told = false }()
	data := uint32(p.Must("CopyErrorData"))
	if p.Word(data+errorData) < errorLevel {
		return
	}
	message := ""
	if at := p.Word(data + errorMessage); at != 0 {
		message = p.String(at)
	}
	if !isLocal(code) && !ofBuild(message) {
		return
	}
	x.tell(fmt.Sprintf("PostgreSQL fails here with %q (%s), which depends on the place where it runs: %s", message, code, elsewhere))
}

func isLocal(code string) bool {
	for _, c := range local {
		if strings.HasPrefix(code, c) {
			return true
		}
	}
	return false
}

func ofBuild(message string) bool {
	for _, p := range parts {
		if strings.Contains(message, p) {
			return true
		}
	}
	return false
}

// sqlText is a code as people write it: see sqlState.
func sqlText(v uint32) string {
	b := make([]byte, 5)
	for i := range b {
		b[i] = byte(v>>(6*i)&0x3f) + '0'
	}
	return string(b)
}

// Errors that depend on where PostgreSQL runs: on its memory, its files, its parts, or on other processes. On a server
// the same statement may succeed, so that a client which catches such an error would go on where it never does.

package engine

import (
	"fmt"
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

// parts are words of messages of 0A000 that depend on what the server is built with, or has installed.
var parts = []string{"is not available", "built with", "this build", "on this platform", "unsupported XML feature", "compression method"}

// Fields of ErrorData (utils/elog.h).
const (
	errorData    = 0  // elevel
	errorMessage = 32 // message
)

// onError is told of errfinish(filename, lineno, funcname), with the error that is about to be raised or sent.
func onError(p *emscripten.Process, st []uint64) {
	x, ok := p.Owner.(*Instance)
	if !ok || x.hooks == nil || x.told {
		return
	}
	code := sqlText(uint32(p.Must("geterrcode")))
	if !isLocal(code) && code != featureNotSupported {
		return
	}
	for _, f := range ofClient {
		if st[2] != 0 && p.String(uint32(st[2])) == f {
			return
		}
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
	if code == featureNotSupported && !ofBuild(message) {
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

package source

import (
	"fmt"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// sends looks at a call that sends a statement.
func (f *frame) sends(m *types.Func, h *handle, args []*Value, pos token.Pos) *Value {
	sig := m.Type().(*types.Signature)
	at, sql := textAt(sig), h.sql
	var given []*Value
	if h.kind != prepared {
		if at < 0 {
			return resultsOf(m, unknown)
		}
		sql = args[at]
	}
	if sig.Variadic() && len(args) == sig.Params().Len() {
		last := args[len(args)-1]
		if given = last.elements(); last.length() < 0 {
			given = []*Value{last}
		}
	}
	var dest *Value
	if strings.HasPrefix(m.Name(), "Get") || strings.HasPrefix(m.Name(), "Select") {
		dest = args[max(at-1, 0)]
	}
	s := f.statement(h, sql, given, pos)
	if s == nil {
		return resultsOf(m, unknown)
	}
	s.One = strings.HasPrefix(m.Name(), "QueryRow") || strings.HasPrefix(m.Name(), "Get")
	if dest != nil {
		f.fills(s, dest)
		return &Value{Op: Failed, Statement: s}
	}
	kind := rows
	if strings.Contains(m.Name(), "Exec") {
		kind = result
	}
	v := resultsOf(m, &Value{Op: Handle, handle: &handle{kind: kind, statement: s}})
	if v.Op == Tuple {
		v.Args[len(v.Args)-1] = &Value{Op: Failed, Statement: s}
	}
	return v
}

// statement notes a statement; nil when its text is not known.
func (f *frame) statement(h *handle, sql *Value, args []*Value, pos token.Pos) *Statement {
	f.noted++
	texts := sql.Strings()
	switch {
	case len(texts) == 0:
		f.open(pos, "the text of the statement is not known: it is made at run time")
		return nil
	case len(texts) > 1:
		f.open(pos, fmt.Sprintf("the statement has one of %d texts; the first is looked at", len(texts)))
	}
	text, args, known := byName(texts[0], args)
	if !known {
		f.open(pos, "an argument makes the statement anew at run time")
		return nil
	}
	if control(text) {
		f.open(pos, fmt.Sprintf("%q as a statement is not followed: begin and end transactions by the driver's methods", strings.TrimSpace(text)))
		return nil
	}
	tx := h.tx
	if h.outside {
		f.outside[f.position(pos)] = true
		return nil
	}
	if tx == nil {
		tx = f.newTransaction(pos, true)
	}
	s := &Statement{
		Transaction: tx, Number: len(tx.Statements), SQL: text, At: f.position(pos), Pos: pos, Args: args,
		Guards: f.guards(), Loop: f.loop || f.looping[f.block],
	}
	tx.Statements = append(tx.Statements, s)
	f.sent[s.At] = true
	return s
}

// control reports whether a statement begins or ends a transaction.
func control(sql string) bool {
	words := strings.Fields(strings.ToLower(strings.TrimRight(strings.TrimSpace(sql), ";")))
	if len(words) == 0 {
		return true
	}
	switch words[0] {
	case "begin", "start", "commit", "rollback", "end", "abort":
		return true
	}
	return false
}

// numbered is a text of gorm or bun with $1 and so on in the place of question marks, where the database has these. One in
// quotes, or of which a list is made, is left to a run.
func (f *frame) numbered(sql *Value) *Value {
	texts := sql.Strings()
	if !f.numbers || len(texts) != 1 || !strings.Contains(texts[0], "?") || strings.ContainsAny(texts[0], "'$") || lists.MatchString(texts[0]) {
		return sql
	}
	var b strings.Builder
	n := 0
	for part := range strings.SplitAfterSeq(texts[0], "?") {
		if before, ok := strings.CutSuffix(part, "?"); ok {
			n++
			part = fmt.Sprintf("%s$%d", before, n)
		}
		b.WriteString(part)
	}
	return text(b.String())
}

// lists matches what a library makes a list of.
var lists = regexp.MustCompile(`(?i)\bIN\s*\(?\s*\?`)

// helper looks at a function of a library that runs a function in a transaction, such as
// pgx.BeginFunc.
func (f *frame) helper(m *types.Func, args []*Value, pos token.Pos) (*Value, bool) {
	if m.Pkg() == nil || !strings.HasPrefix(m.Pkg().Path(), "github.com/jackc/pgx") || !strings.HasPrefix(m.Name(), "Begin") {
		return nil, false
	}
	var h *handle
	for i, a := range args {
		if t := m.Type().(*types.Signature).Params().At(i).Type(); leads(t) && h == nil {
			h = f.handleOf(a, t)
		}
	}
	if h == nil {
		h = &handle{}
	}
	return f.inTransaction(f.begins(h, args, pos), args, pos), true
}

// inTransaction calls the function that is among the arguments with a transaction.
func (f *frame) inTransaction(tx *Value, args []*Value, pos token.Pos) *Value {
	for _, a := range args {
		if a.Op != Closure {
			continue
		}
		params := a.fn.Signature.Params()
		given := make([]*Value, params.Len())
		for i := range given {
			given[i] = unknown
			if leads(params.At(i).Type()) {
				given[i] = tx
			}
		}
		return f.dynamic(a, a.fn.Signature, given, pos)
	}
	return unknown
}

// mapper looks at a method of a library that makes statements at run time: transactions
// are followed, raw statements are, and others are told.
func (f *frame) mapper(m *types.Func, h *handle, args []*Value, pos token.Pos) *Value {
	switch name := m.Name(); name {
	case "Transaction", "RunInTx", "Transactional", "TransactionalContext", "RunInTransaction", "WithTx", "Transact", "TransactCtx":
		return f.inTransaction(f.begins(h, args, pos), args, pos)
	case "Raw", "Exec", "ExecContext", "QueryContext", "QueryRowContext", "NewRaw":
		if at := textAt(m.Type().(*types.Signature)); at >= 0 && at < len(args) {
			args = slices.Clone(args)
			args[at] = f.numbered(args[at])
			return f.sends(m, h, args, pos)
		}
		f.made(m, pos)
	case "WithContext", "Session", "Debug":
		return &Value{Op: Handle, handle: h}
	case "Begin", "BeginTx":
		return resultsOf(m, f.begins(h, args, pos))
	case "Commit", "Rollback":
	case "Row", "Rows":
		if h.statement != nil {
			return resultsOf(m, &Value{Op: Handle, handle: &handle{kind: rows, statement: h.statement}})
		}
		f.made(m, pos)
	case "Scan": // of Raw
		if h.statement != nil && len(args) > 0 {
			f.fills(h.statement, args[0])
			break
		}
		fallthrough
	default:
		f.made(m, pos)
	}
	return resultsOf(m, &Value{Op: Handle, handle: h})
}

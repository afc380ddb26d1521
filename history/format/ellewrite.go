package format

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/txmc/txmc/history"
)

// elleWriter writes Jepsen operations as EDN, an invocation and a completion for
// each transaction.
type elleWriter struct {
	w        *bufio.Writer
	sessions map[string]int
	index    int
	elleOrder
}

func newElle(w io.Writer) writer {
	return &elleWriter{w: bufio.NewWriter(w), sessions: map[string]int{}, elleOrder: elleOrder{ended: map[int]int64{}}}
}

func (p *elleWriter) txn(t *history.Txn) error {
	kind := map[history.Fate]string{history.Committed: "ok", history.Aborted: "fail", history.Unknown: "info"}[t.Fate]
	var invoke, done strings.Builder
	for i, o := range t.Ops {
		if i > 0 {
			invoke.WriteByte(' ')
			done.WriteByte(' ')
		}
		key := ednWord(o.Key)
		switch o.Kind {
		case history.Read:
			fmt.Fprintf(&invoke, "[:r %s nil]", key)
			fmt.Fprintf(&done, "[:r %s %s]", key, ednValue(o.Value))
		case history.ReadList:
			var list []string
			for _, v := range o.List {
				list = append(list, ednValue(v))
			}
			fmt.Fprintf(&invoke, "[:r %s nil]", key)
			fmt.Fprintf(&done, "[:r %s [%s]]", key, strings.Join(list, " "))
		case history.Write, history.Append:
			if o.Value.Kind == history.Initial {
				return inexpressible(t, "writing the initial value")
			}
			op := fmt.Sprintf("[:%s %s %s]", map[history.Kind]string{history.Write: "w", history.Append: "append"}[o.Kind], key, ednValue(o.Value))
			invoke.WriteString(op)
			done.WriteString(op)
		default:
			return inexpressible(t, "predicates with what they saw")
		}
	}
	process := numbered(p.sessions, t.Session)
	call := elleEvent{text: fmt.Sprintf(":type :invoke :process %d :f :txn :value [%s]}\n", process, &invoke)}
	end := elleEvent{text: fmt.Sprintf(":type :%s :process %d :f :txn :value [%s]}\n", kind, process, &done), isReturn: true}
	if !p.untimed && !p.elleOrder.time(t, process, &call, &end) {
		p.untimed = true // what has been kept goes first, as it came
		for _, e := range p.events {
			p.write(e, "")
		}
		p.events = nil
	}
	if !p.untimed {
		p.events = append(p.events, call, end)
		return nil
	}
	p.write(call, "")
	return p.write(end, "")
}

func (p *elleWriter) write(e elleEvent, time string) error {
	_, err := fmt.Fprintf(p.w, "{:index %d %s%s", p.index, time, e.text)
	p.index++
	return err
}

func (p *elleWriter) close() error {
	p.inOrder(func(e elleEvent, time string) { p.write(e, time) })
	return p.w.Flush()
}

// ednWord is a key: a number or a text.
func ednWord(key string) string {
	if v := text(key); v.Kind == history.Number {
		return key
	}
	return ednText(key)
}

func ednValue(v history.Value) string {
	switch v.Kind {
	case history.Initial:
		return "nil"
	case history.Text:
		return ednText(v.Text)
	}
	return v.String()
}

func ednText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + `"`
}

package cluster

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// printed passes on what a harness prints and keeps the end of it: when the harness ends by
// itself, it says why there, and whoever reads the error may be on another machine.
type printed struct {
	to io.Writer

	mu   sync.Mutex
	last []byte
}

const (
	// mostKept is how much is kept at least: a dump of all goroutines begins with why.
	mostKept = 256 << 10
	// mostSaid is how much of it an error says.
	mostSaid = 2 << 10
)

func (p *printed) Write(data []byte) (int, error) {
	p.mu.Lock()
	p.last = append(p.last, data...)
	if n := len(p.last) - mostKept; n > mostKept {
		p.last = append(p.last[:0], p.last[n:]...)
	}
	p.mu.Unlock()
	return p.to.Write(data)
}

// fatal are the beginnings of the lines with which Go's runtime ends a process.
var fatal = [][]byte{[]byte("panic: "), []byte("fatal error: "), []byte("unexpected fault address "), []byte("SIG")}

// text is what an error says of it: from the words of Go's runtime on, or else the end.
func (p *printed) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.last
	for _, words := range fatal {
		if i := lastLine(text, words); i >= 0 {
			text = text[i:]
			return clean(text[:min(len(text), mostSaid)])
		}
	}
	return clean(text[max(0, len(text)-mostSaid):])
}

// lastLine returns where the last line of text that begins so begins, or -1.
func lastLine(text, words []byte) int {
	i := bytes.LastIndex(text, append([]byte("\n"), words...))
	if i < 0 && bytes.HasPrefix(text, words) {
		return 0
	}
	if i < 0 {
		return -1
	}
	return i + 1
}

func clean(text []byte) string { return strings.TrimSpace(strings.ToValidUTF8(string(text), "")) }

// Package terminal shows on a terminal, in one line that changes, where a search is, and
// knows where colours are wanted.
package terminal

import (
	"io"
	"os"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Bar is such a line. A nil Bar shows nothing.
type Bar struct {
	mu      sync.Mutex
	bar     *progressbar.ProgressBar
	columns func() int // of the terminal, which may change
}

// New returns a line at the end of a terminal; nil when the file is none.
func New(stderr *os.File) *Bar {
	if !term.IsTerminal(int(stderr.Fd())) {
		return nil
	}
	return on(stderr, func() int {
		n, _, err := term.GetSize(int(stderr.Fd()))
		if err != nil || n <= 0 {
			return 80
		}
		return n
	})
}

func on(w io.Writer, columns func() int) *Bar {
	return &Bar{columns: columns, bar: progressbar.NewOptions64(-1,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionSetSpinnerChangeInterval(0), // it would draw by itself, also after Clear
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetRenderBlankState(false),
		progressbar.OptionClearOnFinish(),
	)}
}

// beside is how many columns the spinner, spaces and the cursor take.
const beside = 5

// Show replaces what stands there by as much of the text as fits into one line: for the
// rest a terminal would begin a new line each time.
func (b *Bar) Show(text string) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r := []rune(text)
	b.bar.Describe(string(r[:max(0, min(len(r), b.columns()-beside))]))
}

// Clear removes the line, so that something else can be printed.
func (b *Bar) Clear() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bar.Clear()
}

// Beside returns a writer to w that clears the line first. Without a line it is w itself,
// to which a child process can write without us.
func (b *Bar) Beside(w io.Writer) io.Writer {
	if b == nil {
		return w
	}
	return &besideWriter{b, w}
}

type besideWriter struct {
	bar *Bar
	w   io.Writer
}

// Write clears the line and writes.
func (b *besideWriter) Write(data []byte) (int, error) {
	b.bar.Clear()
	return b.w.Write(data)
}

// Colours reports whether text to the file may have colours: terminals only have, and not
// those of who asks for none (no-color.org).
func Colours(f *os.File) bool {
	return term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

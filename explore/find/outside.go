package find

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/explore/find/parsed"
	"github.com/txmc/txmc/explore/schema"
	"github.com/txmc/txmc/program/load"
)

// MySQL's parser is in a module of its own, which the user's module requires: a process
// that is built from there is asked.

// outside starts that process; the function that it returns ends it.
func (f *finding) outside(ctx context.Context, work *schema.Settling) (end func(), err error) {
	name := f.source.Roots[0].Name + "parser"
	pkg, err := f.source.Generated(name, generate.Parser(name), []string{"ExploreNothing"}, nil)
	if err != nil {
		return nil, err
	}
	f.say("compiling MySQL's parser")
	var h *load.Harness
	if err := f.waiting("compiling MySQL's parser", func() (err error) {
		h, err = pkg.Build(ctx)
		return err
	}); err != nil {
		return nil, err
	}
	p, err := startParser(ctx, h)
	if err != nil {
		return nil, err
	}
	o, err := access.NewOutside(ctx, f.Dialect, work, p.ask)
	if err != nil {
		p.end()
		return nil, err
	}
	f.sql, f.catalog = o, o.Catalog
	return p.end, nil
}

// parserProcess is a process that answers questions, one after another.
type parserProcess struct {
	questions *os.File
	answers   chan []byte
	ended     chan struct{}
	cancel    context.CancelFunc
	said      bytes.Buffer // by the process, until it has ended
}

// startParser starts a process.
func startParser(ctx context.Context, h *load.Harness) (*parserProcess, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot make a pipe for the parser: %w", err)
	}
	p := &parserProcess{questions: write, answers: make(chan []byte), ended: make(chan struct{})}
	ctx, p.cancel = context.WithCancel(ctx)
	go func() {
		defer close(p.ended)
		defer read.Close()
		h.RunWith(ctx, ctx.Done(), nil, read, &p.said, func(line []byte) error { // how it ends shows in its answers
			select {
			case p.answers <- bytes.Clone(line):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	return p, nil
}

// ask asks the process.
func (p *parserProcess) ask(ctx context.Context, q parsed.Question) (*parsed.Answer, error) {
	line, err := json.Marshal(q)
	if err == nil {
		_, err = p.questions.Write(append(line, '\n'))
	}
	if err != nil {
		return nil, fmt.Errorf("the parser cannot be asked: %w", err)
	}
	select {
	case line := <-p.answers:
		var a parsed.Answer
		if err := json.Unmarshal(line, &a); err != nil {
			return nil, fmt.Errorf("the parser's answer cannot be read: %w", err)
		}
		return &a, nil
	case <-p.ended:
		if said := strings.TrimSpace(p.said.String()); said != "" {
			return nil, fmt.Errorf("the parser has ended by itself: %s", said)
		}
		return nil, errors.New("the parser has ended by itself")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// end ends the process.
func (p *parserProcess) end() {
	p.questions.Close()
	p.cancel()
	<-p.ended
}

package application

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Request is an HTTP request.
type Request struct {
	Method, Path, Body string
	Header             map[string]string
	Trace              string // its traceparent; "" for none
}

// String is the request line, with its body.
func (r Request) String() string {
	return strings.TrimSpace(r.Method + " " + r.Path + " " + r.Body)
}

// Response is what came, or why nothing came.
type Response struct {
	Status int
	Body   string
	Err    error
	// Conflict says that the database has ended a transaction because of others before it.
	Conflict bool
	Command  bool   // the status is a command's
	Shown    string // String, in the values that earlier runs had in the place of fresh ones
}

// String is the status and the body.
func (r Response) String() string {
	if r.Err != nil {
		return r.Err.Error()
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", r.Status, r.Body))
}

// Failed reports whether the response is a 5xx, or there is none, or a command has failed.
func (r Response) Failed() bool { return r.Err != nil || r.Status >= 500 || r.Command && r.Status != 0 }

// Errors of responses that did not come.
var (
	ErrEnded = errors.New("no response: the application has ended")
	ErrNone  = errors.New("no response")
	ErrBroke = errors.New("the response breaks off")
)

// client sends requests. Each has a connection of its own: an application that does not expect more sends at once.
var client = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Send sends a request and waits for the response.
func (p *Process) Send(ctx context.Context, r Request) Response { return p.send(ctx, r, 0) }

func (p *Process) send(ctx context.Context, r Request, limit time.Duration) Response {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	q, err := http.NewRequestWithContext(ctx, r.Method, fmt.Sprintf("http://127.0.0.1:%d%s", p.port, r.Path), strings.NewReader(r.Body))
	if err != nil {
		return Response{Err: err}
	}
	if r.Body != "" {
		q.Header.Set("Content-Type", contentType(r.Body))
	}
	if r.Trace != "" {
		q.Header.Set("Traceparent", r.Trace)
	}
	for name, value := range r.Header {
		q.Header.Set(name, value)
	}
	got, err := client.Do(q)
	if err != nil {
		return Response{Err: p.none()}
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		return Response{Err: ErrBroke}
	}
	return Response{Status: got.StatusCode, Body: strings.TrimSpace(string(body))}
}

// none says why no response came.
func (p *Process) none() error {
	select {
	case <-p.exited:
		return ErrEnded
	case <-time.After(100 * time.Millisecond): // its end is noticed a little later
		if !p.alive() {
			return ErrEnded
		}
		return ErrNone
	}
}

// contentType is that of a body: JSON, or a form.
func contentType(body string) string {
	if strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[") {
		return "application/json"
	}
	return "application/x-www-form-urlencoded"
}

package requests

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/txmc/txmc/server/application"
)

// What sessions send: a request line, as 'POST /redeem {"user": "ann"}', or a mapping that says more.

// steps reads one request or command, or a list of them.
func steps(n *yaml.Node) (list []step, err error) {
	err = items(n, func(v *yaml.Node) error {
		s, err := readStep(v)
		list = append(list, s)
		return err
	})
	return list, err
}

func readStep(n *yaml.Node) (s step, err error) {
	s.line = n.Line
	if n.Kind == yaml.ScalarNode {
		s.request, err = requestLine(n)
		return s, err
	}
	var headers map[string]string
	var body *string
	err = fields(n, "a request", map[string]func(*yaml.Node) error{
		"request": func(v *yaml.Node) (err error) { s.line = v.Line; s.request, err = requestLine(v); return err },
		"run":     func(v *yaml.Node) (err error) { s.run, err = text(v, "run"); return err },
		"body":    func(v *yaml.Node) (err error) { body, err = readBody(v); return err },
		"headers": func(v *yaml.Node) (err error) { headers, err = pairs(v, "headers"); return err },
		"save":    func(v *yaml.Node) (err error) { s.save, err = pairs(v, "save"); return err },
	})
	switch {
	case err != nil:
		return s, err
	case s.run == "" && s.request.Method == "":
		return s, wrong(n, "give a request, as \"request: POST /orders\", or a command, as \"run: python3 order.py\"")
	case s.run != "" && (s.request.Method != "" || body != nil || headers != nil):
		return s, wrong(n, "a command has no request, body or headers: make two steps of them")
	case body != nil && s.request.Body != "":
		return s, wrong(n, "the body is there twice: in the request line, and in body")
	}
	s.request.Header = headers
	if body != nil {
		s.request.Body = *body
	}
	return s, nil
}

// line matches a request line.
var line = regexp.MustCompile(`(?s)^([A-Z]+)\s+(/\S*)(?:\s+(.*))?$`)

// requestLine reads a method, a path and a body.
func requestLine(n *yaml.Node) (r application.Request, err error) {
	s, err := text(n, "a request")
	if err != nil {
		return r, err
	}
	f := line.FindStringSubmatch(strings.TrimSpace(s))
	if f == nil {
		return r, wrong(n, "%q is no request: give a method, a path and a body, as 'POST /redeem {\"user\": \"ann\"}'", s)
	}
	return application.Request{Method: f[1], Path: f[2], Body: f[3]}, nil
}

// readBody reads a body: a text as it is, all else as JSON.
func readBody(n *yaml.Node) (*string, error) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		return &n.Value, nil
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return nil, wrong(n, "body: %v", err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, wrong(n, "body: %v", err)
	}
	s := string(b)
	return &s, nil
}

func pairs(n *yaml.Node, what string) (map[string]string, error) {
	m := map[string]string{}
	err := each(n, what, func(name string, v *yaml.Node) (err error) { m[name], err = text(v, what); return err })
	return m, err
}

// Values of earlier responses go by names: save gives them, and ${name} stands for one.

var reference = regexp.MustCompile(`\$\{([A-Za-z_]\w*)\}`)

// refers says which names are used and are not given before.
func (f *File) refers(top *yaml.Node) error {
	given := map[string]bool{}
	for _, s := range f.Setup {
		if err := s.refers(given, "setup"); err != nil {
			return err
		}
	}
	for _, one := range append(f.Sessions[:len(f.Sessions):len(f.Sessions)], f.Requests...) {
		own := map[string]bool{}
		for name := range given {
			own[name] = true
		}
		for _, s := range one.steps {
			if err := s.refers(own, "sessions: "+one.name); err != nil {
				return err
			}
		}
	}
	return f.refersToSessions(top)
}

func (s step) refers(given map[string]bool, where string) error {
	texts := []string{s.request.Path, s.request.Body}
	for _, v := range s.request.Header {
		texts = append(texts, v)
	}
	for _, t := range texts {
		for _, m := range reference.FindAllStringSubmatch(t, -1) {
			if !given[m[1]] {
				return &Error{Line: s.line, Column: 1, Message: fmt.Sprintf("%s: ${%s} is not given before: an earlier request gives it, as \"save: {%s: $.id}\"", where, m[1], m[1])}
			}
		}
	}
	for name := range s.save {
		given[name] = true
	}
	return nil
}

// with is a request with values in the place of names.
func with(r application.Request, values map[string]string) application.Request {
	in := func(s string) string {
		return reference.ReplaceAllStringFunc(s, func(m string) string { return values[m[2:len(m)-1]] })
	}
	header := r.Header
	if header != nil {
		header = map[string]string{}
		for name, v := range r.Header {
			header[name] = in(v)
		}
	}
	return application.Request{Method: r.Method, Path: in(r.Path), Body: in(r.Body), Header: header}
}

// saves takes values from a response.
func (s step) saves(r application.Response, values map[string]string) error {
	for name, path := range s.save {
		v, err := at(r.Body, path)
		if err != nil {
			return fmt.Errorf("save: %s: %w", name, err)
		}
		values[name] = v
	}
	return nil
}

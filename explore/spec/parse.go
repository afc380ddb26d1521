package spec

import "strconv"

// The grammar: setups, a teardown, sessions with a setup, steps and a teardown, and permutations, in
// this order.

// parser makes a Spec of tokens.
type parser struct {
	lexer
	now token // the next token
}

// keywords cannot be names without quotes.
var keywords = map[string]bool{"notices": true, "permutation": true, "session": true, "setup": true, "step": true, "teardown": true}

// file is a whole file.
func (p *parser) file() (s *Spec, err error) {
	s = &Spec{File: p.name}
	if err := p.advance(); err != nil {
		return nil, err
	}
	for p.is("setup") {
		b, err := p.sql()
		if err != nil {
			return nil, err
		}
		s.Setup = append(s.Setup, b)
	}
	if s.Teardown, err = p.optional("teardown"); err != nil {
		return nil, err
	}
	for p.is("session") {
		one, err := p.session(len(s.Sessions))
		if err != nil {
			return nil, err
		}
		s.Sessions = append(s.Sessions, one)
	}
	if len(s.Sessions) == 0 {
		return nil, p.unexpected("setup, teardown or session")
	}
	for p.is("permutation") {
		one, err := p.permutation()
		if err != nil {
			return nil, err
		}
		s.Permutations = append(s.Permutations, one)
	}
	if p.now.kind != end {
		return nil, p.unexpected("session or permutation")
	}
	return s, nil
}

func (p *parser) advance() (err error) {
	p.now, err = p.next()
	return err
}

// is reports whether the next token is that keyword.
func (p *parser) is(keyword string) bool { return p.now.kind == word && p.now.text == keyword }

func (p *parser) unexpected(wanted string) error {
	return p.wrong(p.now.line, "%v where %s is expected", p.now, wanted)
}

// sql is a keyword with a block.
func (p *parser) sql() (b Block, err error) {
	keyword := p.now.text
	if err := p.advance(); err != nil {
		return b, err
	}
	return p.braces(keyword)
}

// braces is a block.
func (p *parser) braces(of string) (b Block, err error) {
	if p.now.kind != block {
		return b, p.unexpected("the SQL of " + of + " in { }")
	}
	b = Block{p.now.text, p.now.line}
	return b, p.advance()
}

// optional is a keyword with a block, or nothing.
func (p *parser) optional(keyword string) (b Block, err error) {
	if !p.is(keyword) {
		return b, nil
	}
	return p.sql()
}

// name is the name of something.
func (p *parser) identifier(of string) (name string, err error) {
	if t := p.now; t.kind != quoted && (t.kind != word || keywords[t.text]) {
		return "", p.unexpected("the name of " + of)
	}
	name = p.now.text
	return name, p.advance()
}

func (p *parser) session(number int) (s *Session, err error) {
	s = &Session{Line: p.now.line}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if s.Name, err = p.identifier("the session"); err != nil {
		return nil, err
	}
	if s.Setup, err = p.optional("setup"); err != nil {
		return nil, err
	}
	for p.is("step") {
		one := &Step{Session: number}
		if err := p.advance(); err != nil {
			return nil, err
		}
		if one.Name, err = p.identifier("the step"); err != nil {
			return nil, err
		}
		if one.Block, err = p.braces("step " + one.Name); err != nil {
			return nil, err
		}
		s.Steps = append(s.Steps, one)
	}
	if len(s.Steps) == 0 {
		return nil, p.unexpected("a step of session " + s.Name)
	}
	s.Teardown, err = p.optional("teardown")
	return s, err
}

func (p *parser) permutation() (m *Permutation, err error) {
	m = &Permutation{Line: p.now.line}
	if err := p.advance(); err != nil {
		return nil, err
	}
	for p.now.kind == quoted || p.now.kind == word && !keywords[p.now.text] || len(m.Entries) == 0 {
		e := &Entry{Line: p.now.line}
		if e.name, err = p.identifier("a step"); err != nil {
			return nil, err
		}
		if p.sign("(") {
			if e.Markers, err = p.markers(); err != nil {
				return nil, err
			}
		}
		m.Entries = append(m.Entries, e)
	}
	return m, nil
}

// sign reports whether the next token is that sign.
func (p *parser) sign(text string) bool { return p.now.kind == sign && p.now.text == text }

// markers are those of a step, in parentheses.
func (p *parser) markers() (list []Marker, err error) {
	for list == nil || p.sign(",") {
		if err := p.advance(); err != nil {
			return nil, err
		}
		m, err := p.marker()
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	if !p.sign(")") {
		return nil, p.unexpected(", or )")
	}
	return list, p.advance()
}

func (p *parser) marker() (m Marker, err error) {
	m.line = p.now.line
	if p.sign("*") {
		return m, p.advance()
	}
	m.Kind = OtherStep
	if m.name, err = p.identifier("a step, or *,"); err != nil || !p.is("notices") {
		return m, err
	}
	m.Kind = ForNotices
	if err := p.advance(); err != nil {
		return m, err
	}
	if m.Notices, err = strconv.Atoi(p.now.text); p.now.kind != number || err != nil {
		return m, p.unexpected("a number of notices")
	}
	return m, p.advance()
}

package statements

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/txmc/txmc/explore/find/parsed"
	"github.com/txmc/txmc/explore/schema"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program/rows"
)

// Serve answers questions, a line of JSON each, until there are no more. The error says what
// is wrong with the questions or with the writer.
func Serve(questions io.Reader, answers io.Writer) error {
	in, out := bufio.NewReader(questions), json.NewEncoder(answers)
	var schema *Schema
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		var q parsed.Question
		if err == nil {
			err = json.Unmarshal(line, &q)
		}
		if err != nil {
			return fmt.Errorf("a question cannot be read: %w", err)
		}
		var a parsed.Answer
		if schema, err = answer(schema, q, &a); err != nil {
			a = parsed.Answer{Error: err.Error()}
		}
		if err := out.Encode(a); err != nil {
			return fmt.Errorf("an answer cannot be written: %w", err)
		}
	}
}

// answer answers a question, and returns the schema for the next one.
func answer(s *Schema, q parsed.Question, a *parsed.Answer) (*Schema, error) {
	var err error
	switch {
	case len(q.Schema) > 0:
		s, err = settled(q.Schema, a)
	case s == nil:
		err = errors.New("there is no schema yet")
	case q.Statement != "":
		a.Accesses, a.Results, err = s.Analyse(q.Statement)
	default:
		err = s.Try(q.Rows)
	}
	return s, err
}

// settled makes a schema of scripts, and answers with its tables and with the scripts that make it.
func settled(scripts []parsed.Script, a *parsed.Answer) (*Schema, error) {
	var work schema.Settling
	for _, s := range scripts {
		work.Scripts = append(work.Scripts, rows.Script{Name: s.Name, Text: s.Text})
	}
	s, err := newSchema(work.Text, mysql.Scripts(slices.Clone(work.Scripts), work.Leave))
	if err != nil {
		return nil, err
	}
	a.Tables = s.Tables
	for _, s := range work.Scripts {
		a.Settled = append(a.Settled, parsed.Script{Name: s.Name, Text: s.Text})
	}
	for _, l := range work.Left {
		a.Left = append(a.Left, l.Err.Error())
	}
	return s, nil
}

// Main serves a process's questions on its file descriptors 4 and 3, and ends the process.
func Main() {
	if err := Serve(os.NewFile(4, "questions"), os.NewFile(3, "answers")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

package format

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/txmc/txmc/history"
)

// The YAML twin of dbcop's binary format: a list of sessions, each a list of
// transactions with events. YAML has no streams, so that a file may not be large.

// largestYAML is how large it may be, in bytes.
const largestYAML = 64 << 20

func looksYAML(head []byte) bool {
	head = bytes.TrimLeft(head, " \r\n\t")
	return bytes.HasPrefix(head, []byte("- - events:")) || bytes.HasPrefix(head, []byte("---\n- - events:"))
}

type yamlTxn struct {
	Events []struct {
		Write    bool
		Variable uint64
		Value    int64
		Success  bool
	}
	Success bool
}

func readYAML(s *source, to history.Sink) error {
	data, err := io.ReadAll(io.LimitReader(s, largestYAML+1))
	if err != nil {
		return s.failed(err)
	}
	if len(data) > largestYAML {
		return s.errorByte(largestYAML, "the file is larger than %d bytes; its binary twin has no limit", largestYAML)
	}
	var sessions [][]yaml.Node
	if err := yaml.Unmarshal(data, &sessions); err != nil {
		return s.errorYAML(err)
	}
	txns := 0
	for i, session := range sessions {
		for _, node := range session {
			var x yamlTxn
			if err := node.Decode(&x); err != nil {
				return s.errorYAML(err)
			}
			txns++
			t := history.Txn{Session: strconv.Itoa(i + 1), ID: strconv.Itoa(txns), File: s.name, Line: node.Line}
			if !x.Success {
				t.Fate = history.Aborted
			}
			for _, e := range x.Events {
				if !e.Success {
					continue
				}
				o := history.Op{Kind: history.Read, Key: strconv.FormatUint(e.Variable, 10), Value: numberOr(e.Value, 0)}
				if e.Write {
					o.Kind = history.Write
				}
				t.Ops = append(t.Ops, o)
			}
			if err := to.Txn(&t); err != nil {
				return err
			}
		}
	}
	return nil
}

// errorYAML keeps the lines that the library names.
func (s *source) errorYAML(err error) error {
	var wrong *yaml.TypeError
	if errors.As(err, &wrong) && len(wrong.Errors) > 0 {
		err = errors.New(wrong.Errors[0])
	}
	return s.failed(err)
}

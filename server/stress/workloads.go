package stress

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/server/database"
)

// workloads are what clients do. A workload is shared by all clients.
type workloads interface {
	name() string
	// tables are those that setup makes. Their names begin with txmc_stress_.
	tables() []string
	// setup is the statements that make and fill the tables.
	setup(r *run) []string
	// transaction runs the operations of a transaction between BEGIN and COMMIT, and
	// records them. An error is of the server or of the connection.
	transaction(ctx context.Context, c *client) error
	// look looks at the tables when all sessions have ended. It returns what is to be said.
	look(ctx context.Context, c database.Conn) (string, error)
}

// recoverable are workloads whose certificate the server's log tells.
type recoverable interface {
	workloads
	log() logReader
}

// versioned are workloads that know by themselves which version a row is.
type versioned interface {
	// version is the key and the value that a row of a table stands for, which was
	// inserted or updated. It is false when it is of no interest.
	version(table string, row map[string]sql.NullString) (key string, value int64, ok bool)
	// facts are what else belongs to the certificate.
	facts(put func(history.Fact) error) error
}

// quiet is a workload that has nothing to say at the end.
type quiet struct{}

func (quiet) look(context.Context, database.Conn) (string, error) { return "", nil }

// plain is a workload without predicates.
type plain struct{}

func (plain) facts(func(history.Fact) error) error { return nil }

// workloadNamed returns the workload of the options.
func (o *Options) workloadNamed() (workloads, error) {
	switch strings.ToLower(o.Workload) {
	case "rh":
		return &registers{label: "rh", reads: 0.95}, nil
	case "rw":
		return &registers{label: "rw", reads: 0.5}, nil
	case "wh":
		return &registers{label: "wh", reads: 0.3}, nil
	case "lists":
		return newLists(o.Keys), nil
	case "bank", "skew":
		if o.Keys < 2 {
			return nil, fmt.Errorf("%s needs two rows: --keys is %d", o.Workload, o.Keys)
		}
		if strings.EqualFold(o.Workload, "bank") {
			return &bank{}, nil
		}
		return &skew{}, nil
	case "predicates":
		return newPredicates(o.Keys), nil
	case "inserts":
		return newInserts(), nil
	}
	text, err := os.ReadFile(o.Workload)
	if err != nil {
		return nil, fmt.Errorf("%q is neither rh, rw, wh, lists, bank, skew, predicates nor inserts, nor a file that can be read: %w", o.Workload, err)
	}
	return parseTemplates(o.Workload, string(text))
}

// rows are the statements that fill a table with keys from 0, some at a time.
func rows(keys int, insert string, row func(key int) string) (list []string) {
	const atOnce = 1000
	for from := 0; from < keys; from += atOnce {
		var values []string
		for k := from; k < min(keys, from+atOnce); k++ {
			values = append(values, row(k))
		}
		list = append(list, insert+" VALUES "+strings.Join(values, ", "))
	}
	return list
}

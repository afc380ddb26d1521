package cluster

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// Subjects. A task's name has the kind of workers that can do it, the job, and its
// number: a worker's consumer sees no task that it cannot do. The programs of a cluster
// use the subjects that begin with "txmc.", and JetStream's own, and no others.
const (
	prefix       = "txmc."
	tasks        = prefix + "task."   // identity, job, ID
	results      = prefix + "result." // job, ID
	hellos       = prefix + "hello"   // workers, a few times in a second
	answers      = prefix + "answer." // worker: what a coordinator says to it
	orders       = prefix + "order."  // job: what a coordinator says to workers at a task of it
	tasksStream  = "TXMC_TASKS"
	resultStream = "TXMC_RESULTS"
	jobsBucket   = "txmc_jobs"
	binBucket    = "txmc_binaries"
	objectBucket = "txmc_objects"
)

// job is a harness that is explored: a package of a run of a coordinator.
type job struct {
	ID      string          `json:"id"`
	Binary  string          `json:"binary"` // SHA-256 of the harness, with all that it is built of: its name in the object store
	Dir     string          `json:"dir"`    // where the coordinator runs it
	Request harness.Request `json:"request"`
	Made    Identity        `json:"made"`
	Files   *files          `json:"files,omitempty"`
}

// files are those of a directory that the program needs. They are an archive in the object
// store.
type files struct {
	program.Needed
	Hash string `json:"hash"` // SHA-256 of the archive
}

// task is some subtrees that are to be explored.
type task struct {
	Job   string        `json:"job"`
	Order explore.Order `json:"order"`
	Tries int           `json:"tries,omitempty"` // how often it has ended its process
}

// result is what a task has come to: a part, an error of the program, or the end of the
// process.
type result struct {
	Job    string            `json:"job"`
	ID     string            `json:"id"` // of the task
	Worker string            `json:"worker"`
	Part   *explore.Part     `json:"part,omitempty"`
	Lines  []json.RawMessage `json:"lines,omitempty"` // of the report
	Error  *report.Error     `json:"error,omitempty"`
	Crash  string            `json:"crash,omitempty"` // how the process ended
	Busy   time.Duration     `json:"busy"`            // time that the task has taken, in ns
}

// hello is what workers say of themselves.
type hello struct {
	Worker   string   `json:"worker"`
	Identity Identity `json:"identity"`
	Job      string   `json:"job,omitempty"` // at which it is
	Task     string   `json:"task,omitempty"`
	Counts   counts   `json:"counts"` // so far in that task
	Leaves   bool     `json:"leaves,omitempty"`
}

// counts are those of a harness.Progress.
type counts struct {
	Histories  int64 `json:"histories"`
	EndStates  int64 `json:"end_states"`
	Explored   int64 `json:"explored"`
	Violations int64 `json:"violations"`
}

func (c *counts) add(d counts) {
	c.Histories += d.Histories
	c.EndStates += d.EndStates
	c.Explored += d.Explored
	c.Violations += d.Violations
}

// answer is what a coordinator says to a worker.
type answer struct {
	Refused string `json:"refused,omitempty"` // why it cannot work for it
}

// order is what a coordinator says to the workers at its tasks.
type order struct {
	Cut []string `json:"cut,omitempty"` // end these tasks, and send what they have come to
	End int      `json:"end,omitempty"` // leave all tasks up to that number: nobody wants them
}

// encoder and decoder of messages: JSON, compressed.
var (
	encoder, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<32))
)

func encode(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return encoder.EncodeAll(data, nil), nil
}

func decode(data []byte, v any) error {
	data, err := decoder.DecodeAll(data, nil)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("a message that is none of txmc's: %w", err)
	}
	return nil
}

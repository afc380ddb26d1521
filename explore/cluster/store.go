package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// queue is a connection to the cluster's streams and stores.
type queue struct {
	*nats.Conn
	js       jetstream.JetStream
	identity Identity
	ackWait  time.Duration
	messages atomic.Int64 // sent and received, with
	bytes    atomic.Int64 // their data
	near     *near        // nil where workers are in other processes
}

// near are the files that the workers of this process take where they are, by their hashes. A server
// in this process has no other workers: to pack, store and unpack a binary takes longer than many
// explorations.
type near struct{ files sync.Map }

// at is where the file with that hash is, "" where it has to be downloaded.
func (n *near) at(hash string) string {
	if n == nil {
		return ""
	}
	file, _ := n.files.Load(hash)
	name, _ := file.(string)
	return name
}

const (
	// ackWait is how long a worker may be silent at a task before another one gets it.
	// Tests have less.
	ackWait = 10 * time.Second
	// kept is how long what belongs to a job stays when its coordinator is gone.
	kept = 7 * 24 * time.Hour
	// patience is how long a server may take for one request.
	patience = 20 * time.Second
	// slowly is how long a byte of a binary may take.
	slowly = time.Microsecond
)

func newQueue(c *nats.Conn) (*queue, error) {
	js, err := jetstream.New(c)
	return &queue{Conn: c, js: js, identity: identify(), ackWait: ackWait}, err
}

// ensure makes the streams and stores that are missing.
func (q *queue) ensure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, s := range []jetstream.StreamConfig{
		// A task is in the queue once at most, however often it is published.
		{Name: tasksStream, Subjects: []string{tasks + ">"}, Retention: jetstream.WorkQueuePolicy, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true},
		{Name: resultStream, Subjects: []string{results + ">"}, Retention: jetstream.WorkQueuePolicy},
	} {
		s.Storage, s.MaxAge = jetstream.FileStorage, kept
		if _, err := q.js.CreateOrUpdateStream(ctx, s); err != nil {
			return fmt.Errorf("the cluster's stream %s: %w%s", s.Name, err, adviseStream(err))
		}
	}
	if _, err := q.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: jobsBucket, TTL: kept}); err != nil {
		return fmt.Errorf("the cluster's bucket %s: %w", jobsBucket, err)
	}
	for _, bucket := range []string{binBucket, objectBucket} {
		if _, err := q.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucket, TTL: kept}); err != nil {
			return fmt.Errorf("the cluster's bucket %s: %w", bucket, err)
		}
	}
	return nil
}

func adviseStream(err error) string {
	switch {
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return ": the server has no JetStream: start it with nats-server -js"
	case errors.Is(err, context.DeadlineExceeded):
		return ": the server does not answer, or does not let this client use JetStream: its user needs the subjects txmc.>, $JS.API.>, $JS.ACK.>, $KV.>, $O.> and _INBOX.>"
	}
	return ""
}

// count counts a message.
func (q *queue) count(data int) {
	q.messages.Add(1)
	q.bytes.Add(int64(data))
}

// inline is how many bytes a message may have; what has more goes through the object
// store. Servers take 1 MiB by default.
const inline = 512 << 10

// objectHeader names the object that has a message's data.
const objectHeader = "Txmc-Object"

// publish stores a message, large or small. It waits until the server has it.
func (q *queue) publish(ctx context.Context, subject string, v any) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	m := nats.NewMsg(subject)
	if m.Data = data; len(data) > inline {
		m.Data = nil
		m.Header.Set(objectHeader, subject)
		objects, err := q.js.ObjectStore(ctx, objectBucket)
		if err == nil {
			_, err = objects.PutBytes(ctx, subject, data)
		}
		if err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err = q.js.PublishMsg(ctx, m)
	if err == nil {
		q.count(len(data))
	}
	return err
}

// read reads a message.
func (q *queue) read(ctx context.Context, m jetstream.Msg, v any) error {
	data := m.Data()
	if name := m.Headers().Get(objectHeader); name != "" {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		objects, err := q.js.ObjectStore(ctx, objectBucket)
		if err == nil {
			data, err = objects.GetBytes(ctx, name)
		}
		if err != nil {
			return err
		}
	}
	q.count(len(data))
	return decode(data, v)
}

// forget removes the object of a message, if it has one.
func (q *queue) forget(ctx context.Context, m jetstream.Msg) {
	name := m.Headers().Get(objectHeader)
	if name == "" {
		return
	}
	if objects, err := q.js.ObjectStore(ctx, objectBucket); err == nil {
		objects.Delete(ctx, name) // what stays goes by its age
	}
}

// hashOf is the SHA-256 of a file.
func hashOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, f)
	return fmt.Sprintf("%x", hash.Sum(nil)), err
}

// upload puts a binary into the object store, under its hash, unless it is there. Workers of this
// process are told where it is instead.
func (q *queue) upload(ctx context.Context, file, hash string) error {
	if q.near != nil {
		q.near.files.Store(hash, file)
		return nil
	}
	// A server that ends in the middle of a request never answers it.
	asking, done := context.WithTimeout(ctx, patience)
	defer done()
	objects, err := q.js.ObjectStore(asking, binBucket)
	if err != nil {
		return err
	}
	if _, err := objects.GetInfo(asking, hash); err == nil {
		return nil
	} else if asking.Err() != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	data = encoder.EncodeAll(data, nil)
	ctx, cancel := context.WithTimeout(ctx, patience+time.Duration(len(data))*slowly)
	defer cancel()
	_, err = objects.Put(ctx, jetstream.ObjectMeta{Name: hash}, bytes.NewReader(data))
	if err == nil {
		q.count(len(data))
	}
	return err
}

// download gets what has that hash into a file, unless it is there.
func (q *queue) download(ctx context.Context, file, hash string) error {
	if have, err := hashOf(file); err == nil && have == hash {
		now := time.Now()
		os.Chtimes(file, now, now) // see prune
		return nil
	}
	objects, err := q.js.ObjectStore(ctx, binBucket)
	if err != nil {
		return err
	}
	object, err := objects.Get(ctx, hash)
	if err != nil {
		return err
	}
	defer object.Close()
	unpacked, err := zstd.NewReader(object)
	if err != nil {
		return err
	}
	defer unpacked.Close()
	return install(unpacked, file, hash)
}

// install writes a file, whole or not at all.
func install(from io.Reader, file, hash string) error {
	temp, err := os.CreateTemp(filepath.Dir(file), "download-")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(temp, sum), from)
	if err = errors.Join(err, temp.Chmod(0o700), temp.Close()); err != nil {
		return err
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)); got != hash {
		return fmt.Errorf("%s is damaged in the object store: its hash is %.12s, not %.12s", filepath.Base(file), got, hash)
	}
	return os.Rename(temp.Name(), file)
}

// describe stores what workers need to know of a job, and learn reads it.
func (q *queue) describe(ctx context.Context, j *job) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	kv, err := q.js.KeyValue(ctx, jobsBucket)
	if err != nil {
		return err
	}
	data, err := encode(j)
	if err == nil {
		_, err = kv.Put(ctx, j.ID, data)
	}
	return err
}

func (q *queue) learn(ctx context.Context, id string) (*job, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	kv, err := q.js.KeyValue(ctx, jobsBucket)
	if err != nil {
		return nil, err
	}
	entry, err := kv.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	j := &job{}
	return j, decode(entry.Value(), j)
}

// taskSubject is that of a task. filter is that of all tasks of a job.
func (q *queue) taskSubject(job, id string) string {
	return tasks + q.identity.name() + "." + job + "." + id
}

func (q *queue) filter(job string) string { return q.taskSubject(job, "*") }

// workersConsumer hands out the tasks that workers of this identity can do.
func (q *queue) workersConsumer(ctx context.Context) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return q.js.CreateOrUpdateConsumer(ctx, tasksStream, jetstream.ConsumerConfig{
		Durable: "workers-" + q.identity.name(), FilterSubject: tasks + q.identity.name() + ".>",
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: q.ackWait, MaxAckPending: 100_000, MaxDeliver: -1,
	})
}

// resultsConsumer hands out the results of a job.
func (q *queue) resultsConsumer(ctx context.Context, job string) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return q.js.CreateOrUpdateConsumer(ctx, resultStream, jetstream.ConsumerConfig{
		Durable: "coordinator-" + job, FilterSubject: results + job + ".>",
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: 3 * q.ackWait, MaxAckPending: 1000, MaxDeliver: -1, InactiveThreshold: kept,
	})
}

// clean removes what is left of a job.
func (q *queue) clean(ctx context.Context, job string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	q.purge(ctx, job)
	q.js.DeleteConsumer(ctx, resultStream, "coordinator-"+job)
	if s, err := q.js.Stream(ctx, resultStream); err == nil {
		s.Purge(ctx, jetstream.WithPurgeSubject(results+job+".>"))
	}
	if kv, err := q.js.KeyValue(ctx, jobsBucket); err == nil {
		kv.Purge(ctx, job)
	}
}

// purge removes the tasks of a job that nobody wants any more.
func (q *queue) purge(ctx context.Context, job string) {
	if s, err := q.js.Stream(ctx, tasksStream); err == nil {
		s.Purge(ctx, jetstream.WithPurgeSubject(q.filter(job)))
	}
}

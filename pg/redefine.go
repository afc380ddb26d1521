package pg

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/storage"
	"github.com/txmc/txmc/pg/wire"
)

// Changes of the schema by clients of an image. A transaction that changes definitions runs
// alone, on an instance without hooks to which the rows are copied: there everything is
// PostgreSQL's. When it has ended, the image begins anew from that instance, with all rows as
// they are then, and backends get other instances.

// Redefinable lets the clients of an image change its schema. It is called before there are
// backends. fork makes a backend that reads rows, with what closes it. renewed is called when the
// image has begun anew: what keeps its rows has to take them from the image. No transaction is
// open then.
func (i *Image) Redefinable(fork func() (*Backend, func(), error), renewed func()) {
	i.fork, i.renewed = fork, renewed
}

// direct is what a backend does on an instance without hooks.
type direct struct {
	on    bool
	helps bool     // it reads the rows for another backend that goes there
	sent  [][]byte // messages of the open transaction, to be repeated there
	size  int      // of these
}

// defines reports whether a message begins to change the schema, and the backend can leave its
// instance for that: there are no temporary tables.
func (b *Backend) defines(m []byte) bool {
	if b.image.fork == nil || !defining(m) || b.x.Hungry() {
		return false
	}
	temporary, err := b.hasTemporary()
	return err == nil && !temporary && b.keepSettings() == nil
}

// hasTemporary reports whether the session has temporary tables.
func (b *Backend) hasTemporary() (bool, error) {
	if !b.state.keeps {
		return false, nil
	}
	out, err := b.x.Exchange(wire.Query("SELECT FROM pg_catalog.pg_class WHERE relnamespace = pg_catalog.pg_my_temp_schema() LIMIT 1"))
	return wire.Failed(out) || strings.Contains(wire.Words(out), "SELECT 1"), err
}

// errTemporary ends a connection.
var errTemporary = fmt.Errorf("%w. Another connection has done so, and this one had temporary tables, which are lost", ErrRedefined)

// forsake gives away an instance whose schema is an old one.
func (b *Backend) forsake() error {
	temporary, err := b.hasTemporary()
	switch {
	case err != nil:
		return err
	case temporary:
		return errTemporary
	}
	err = b.keepSettings()
	x := b.x
	b.let(nil)
	return errors.Join(err, x.Close())
}

// keepSettings notes what the session has set, where that cannot be told from the messages.
func (b *Backend) keepSettings() error {
	if !b.state.keeps {
		return nil
	}
	const settings = `SELECT pg_catalog.format('SELECT pg_catalog.set_config(%L, %L, false)', name, setting)
		FROM pg_catalog.pg_settings WHERE source = 'session' AND context IN ('user', 'superuser') AND name NOT LIKE 'transaction%'`
	out, err := b.x.Exchange(wire.Query(settings))
	if err != nil {
		return err
	}
	for _, row := range wire.Rows(out) {
		b.state.settings = append(b.state.settings, wire.Query(row[0]))
	}
	b.state.keeps = false
	return nil
}

// refusing is a message that fails with an error in place of another one.
func refusing(m []byte, why error) []byte {
	code := "XX000"
	if errors.Is(why, errOthersOpen) {
		code = "55006" // object_in_use
	}
	sql := fmt.Sprintf("DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''%s'', MESSAGE = %s; END'", code,
		strings.ReplaceAll(quoted(why.Error()), "'", "''"))
	if m[0] == 'Q' {
		return wire.Query(sql)
	}
	b, err := (&pgproto3.Parse{Name: wire.Name(m), Query: sql}).Encode(nil)
	if err != nil {
		return m // it is short: it has an encoding
	}
	return b
}

// quoted is a text as a literal of SQL.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// exits says that others may change the schema, if no transaction is open.
func (b *Backend) exits() {
	if b.state.synced || b.state.hello == nil {
		b.image.gate.exit(b)
	}
}

// maxRepeated is how large a transaction may be that changes the schema in its middle.
const maxRepeated = 1 << 20

// note keeps what may have to be repeated.
func (d *direct) note(m []byte, synced bool) {
	if synced {
		d.sent, d.size = nil, 0
		return
	}
	if d.size += len(m); d.size <= maxRepeated {
		d.sent = append(d.sent, bytes.Clone(m))
	}
}

// redefine runs a message of a client whose transaction changes the schema. It takes the
// backend to an instance of its own, if that is not so yet, and back when the transaction has
// ended.
func (b *Backend) redefine(m []byte) ([]byte, error) {
	b.x.SetTime(time.Now())
	out, err := b.x.Exchange(m)
	if err != nil {
		return out, errors.Join(err, b.log.Refuse(fellOver(err)))
	}
	if why := wire.Words(out); strings.HasPrefix(why, "!0A000 ") || strings.HasPrefix(why, "!58P01 ") { // such as an extension that is not there
		_ = b.log.Refuse(why[1:]) // it is told
	}
	undone := wire.Words(out) == "ROLLBACK" || m[0] == 'Q' && len(b.direct.sent) == 0 && wire.Failed(out)
	b.state.after(m, out, wire.Status(out))
	b.direct.note(m, b.state.synced)
	switch {
	case !b.state.synced:
		return out, nil
	case undone:
		return out, b.goBack()
	}
	return out, b.renewImage()
}

// goBack gives the instance away. The transaction has changed nothing.
func (b *Backend) goBack() error {
	x := b.x
	err := b.keepSettings()
	b.let(nil)
	b.direct = direct{}
	b.image.pool.leave(b)
	b.image.gate.disown(b)
	return errors.Join(err, x.Close())
}

// leaveHooks takes the backend to an instance without hooks, with all rows and with what the
// client has set, prepared and begun. It fails with an error for the client.
func (b *Backend) leaveHooks() error {
	if b.direct.size > maxRepeated {
		return errors.New("the transaction is too large for a change of the schema in its middle: change the schema first")
	}
	if err := b.image.gate.own(b); err != nil {
		return err
	}
	y, err := b.copied()
	if err != nil {
		b.image.gate.disown(b)
		return err
	}
	if !b.state.synced {
		_, _ = b.x.Exchange(wire.Query("ROLLBACK")) // it goes on in the other one
	}
	old := b.x
	b.let(y)
	b.backing = ownRows{}
	b.direct.on = true
	return old.Close()
}

// copied is an instance with a copy of all rows, and of the client's session.
func (b *Backend) copied() (y *engine.Instance, err error) {
	base := b.image.base.Load()
	if y, err = base.engine.InstanceFrom(base.snapshot); err != nil {
		return nil, err
	}
	y.Version(base.version)
	y.Seed(b.random)
	y.SetTime(time.Now())
	if err := b.copyRows(y); err != nil {
		return nil, errors.Join(err, y.Close())
	}
	for _, m := range append(b.state.again(), b.direct.sent...) {
		if _, err := y.Exchange(m); err != nil {
			return nil, errors.Join(err, y.Close())
		}
	}
	return y, nil
}

// renewImage makes the image begin from the backend's instance, and gives that back.
func (b *Backend) renewImage() error {
	x := b.x
	err := b.keepSettings()
	b.let(nil)
	b.direct = direct{}
	defer b.image.gate.disown(b)
	old := b.image.base.Load()
	next, failed := old.successor(x)
	if err = errors.Join(err, failed, x.Close()); err != nil {
		err = fmt.Errorf("%w, but it cannot be served with the change, which is undone: %w", ErrRedefined, err)
		return errors.Join(err, b.log.Refuse(err.Error()))
	}
	b.image.base.Store(next)
	err = b.image.pool.drop(b)
	b.image.renewed()
	return err
}

// successor is the base of an instance that went on from b's.
func (b *base) successor(x *engine.Instance) (*base, error) {
	e, err := shared.open(os.Stderr)
	if err != nil {
		return nil, err
	}
	n := &base{instances: newInstances(e), store: storage.NewStore(), changes: b.changes, config: b.config}
	n.shared, n.version = b.shared, b.version
	if _, err = x.Exchange(wire.Query("DISCARD ALL")); err == nil {
		err = n.prepare(x, b.config)
	}
	if err != nil {
		return nil, errors.Join(err, n.instances.close())
	}
	if b.model != nil {
		n.model.catalog.Inherit(b.model.catalog)
	}
	n.collected()
	return n, nil
}

// ownRows is the backing of an instance that keeps its rows itself.
type ownRows struct{ backing }

// Contents, tookNumber and statement have nothing to say.
func (ownRows) Contents() int    { return 0 }
func (ownRows) tookNumber() bool { return false }
func (ownRows) statement()       {}

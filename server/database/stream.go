package database

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// Stream is the changes of a replication slot, as PostgreSQL's streaming replication protocol
// sends them (PostgreSQL 15, section 55.4). It is for one goroutine.
type Stream struct {
	c    *pgconn.PgConn
	last uint64 // position that was received
}

// replication opens a connection that understands commands about slots.
func (d *Database) replication(ctx context.Context) (*pgconn.PgConn, error) {
	config := d.postgres.Copy()
	config.RuntimeParams["replication"] = "database"
	return pgconn.ConnectConfig(ctx, config)
}

// CreateSlot makes a replication slot: name and words are as in CREATE_REPLICATION_SLOT.
func (d *Database) CreateSlot(ctx context.Context, name, words string) error {
	c, err := d.replication(ctx)
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, fmt.Sprintf("CREATE_REPLICATION_SLOT %s %s", name, words)).ReadAll()
	return errors.Join(err, c.Close(ctx))
}

// Stream reads a slot from its beginning. options are those of its plugin.
func (d *Database) Stream(ctx context.Context, slot, options string) (*Stream, error) {
	c, err := d.replication(ctx)
	if err != nil {
		return nil, err
	}
	s := &Stream{c: c}
	c.Frontend().Send(&pgproto3.Query{String: fmt.Sprintf("START_REPLICATION SLOT %s LOGICAL 0/0 (%s)", slot, options)})
	if err := c.Frontend().Flush(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	for {
		m, err := c.ReceiveMessage(ctx)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		switch m := m.(type) {
		case *pgproto3.CopyBothResponse:
			return s, nil
		case *pgproto3.ErrorResponse:
			return nil, errors.Join(&Error{m.Code, m.Message}, s.Close())
		}
	}
}

// Messages inside of CopyData.
const (
	isData      = 'w' // then start, end and time, 8 bytes each, and the plugin's text
	isKeepalive = 'k' // then end and time, and 1 when an answer is expected
	isStatus    = 'r' // then what was written, flushed, applied, and the time; 0
)

// Next is the plugin's next text, and its position in the log.
func (s *Stream) Next(ctx context.Context) (text string, at uint64, err error) {
	for {
		m, err := s.c.ReceiveMessage(ctx)
		if err != nil {
			return "", 0, err
		}
		switch m := m.(type) {
		case *pgproto3.ErrorResponse:
			return "", 0, &Error{m.Code, m.Message}
		case *pgproto3.CopyDone:
			return "", 0, errors.New("the server has ended the stream")
		case *pgproto3.CopyData:
			switch data := m.Data; {
			case len(data) >= 25 && data[0] == isData:
				s.last = max(s.last, binary.BigEndian.Uint64(data[1:]))
				return string(data[25:]), binary.BigEndian.Uint64(data[1:]), nil
			case len(data) >= 18 && data[0] == isKeepalive && data[17] == 1:
				if err := s.alive(); err != nil {
					return "", 0, err
				}
			}
		}
	}
}

// alive tells the server that somebody reads.
func (s *Stream) alive() error {
	data := []byte{isStatus}
	for range 3 {
		data = binary.BigEndian.AppendUint64(data, s.last)
	}
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	data = binary.BigEndian.AppendUint64(data, uint64(time.Since(epoch).Microseconds()))
	s.c.Frontend().Send(&pgproto3.CopyData{Data: append(data, 0)})
	return s.c.Frontend().Flush()
}

// Close ends the connection.
func (s *Stream) Close() error { return pgConn{s.c}.Close() }

package wire

import "github.com/jackc/pgx/v5/pgproto3"

// rewritten is a message whose statement the hub's owner has replaced.
func (h *Hub) rewritten(m []byte) ([]byte, error) {
	if h.Rewrite == nil || m[0] != 'P' && m[0] != 'Q' {
		return m, nil
	}
	if m[0] == 'P' {
		p := &pgproto3.Parse{}
		if err := p.Decode(m[5:]); err != nil {
			return nil, err
		}
		p.Query = h.Rewrite(p.Query)
		return p.Encode(nil)
	}
	q := &pgproto3.Query{}
	if err := q.Decode(m[5:]); err != nil {
		return nil, err
	}
	q.String = h.Rewrite(q.String)
	return q.Encode(nil)
}

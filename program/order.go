package program

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"reflect"
	"slices"
)

// What the sessions of a set have been answered has an order that is the same in all
// processes: it knows no number of a value, a variable or a node. Answers are compared one
// after another, by a hash of what they are; what has nothing after it comes first. Where
// processes explore parts of a program, it says which of the images of an outcome is theirs.

// Order compares what the sessions at two nodes have been answered: it is negative when n comes before
// m, and positive after. It is 0 only where both have been answered the same. settled says that it is so whatever
// follows n and m.
func (c *Client) Order(n, m *Node) (order int, settled bool) {
	if c.Storage() != nil { // what the client has not seen is no part of an outcome
		return compareAnswers(c.pasts.sums(n.Past), c.pasts.sums(m.Past))
	}
	if order, settled = compareAnswers(c.answersTo(n, (*Node).Informs), c.answersTo(m, (*Node).Informs)); settled {
		return order, true
	}
	all := func(*Node) bool { return true }
	again, _ := compareAnswers(c.answersTo(n, all), c.answersTo(m, all))
	return cmp.Or(order, again), false
}

// Informs reports whether the node is answered with more than that it is done, and for good.
// What an UPDATE by a function has found is not: it may find a newer version instead.
func (n *Node) Informs() bool { return n.Kind == Read || n.Kind == Change || n.Kind == Ask }

// Fingerprint stands for what the session at a node has been answered, by what it is: those of two nodes are
// equal where Order is 0.
func (c *Client) Fingerprint(n *Node) [16]byte {
	list := c.pasts.sums(n.Past)
	if c.Storage() == nil {
		list = c.answersTo(n, func(*Node) bool { return true })
	}
	var text []byte
	for _, h := range list {
		text = append(text, h[:]...)
	}
	return hashOf(text)
}

// hash names an answer, or a sequence of them.
type hash [16]byte

func hashOf(text []byte) hash {
	sum := sha256.Sum256(text)
	return hash(sum[:16])
}

// compareAnswers compares two sequences. settled says that they differ at one place.
func compareAnswers(a, b []hash) (order int, settled bool) {
	for i := range min(len(a), len(b)) {
		if order := bytes.Compare(a[i][:], b[i][:]); order != 0 {
			return order, true
		}
	}
	return cmp.Compare(len(a), len(b)), false
}

// answersTo are the answers on the way to a node that nodes of a kind got.
func (c *Client) answersTo(n *Node, of func(*Node) bool) (list []hash) {
	for ; n.parent != nil; n = n.parent {
		if n.parent.Waits && of(n.parent) {
			list = append(list, c.answerHash(n.parent, n.via))
		}
	}
	slices.Reverse(list)
	return list
}

// answerHash names the answer that a node got.
func (c *Client) answerHash(n *Node, answer ValueID) hash {
	if n.Kind != Ask {
		return c.values.hash(answer)
	}
	if _, rows := c.values.get(max(answer, 0)).([]int32); answer < 0 || !rows {
		return c.values.hash(answer)
	}
	text := []byte{2}
	for _, item := range c.Listed(answer) {
		value, key := c.values.hash(item.Val), c.RawKey(item.Var)
		text = append(binary.AppendUvarint(append(text, value[:]...), uint64(len(key))), key...)
	}
	return hashOf(text)
}

// hash names a value, or an answer that is none.
func (t *values) hash(id ValueID) hash {
	if id < 0 {
		return hashOf(binary.AppendVarint([]byte{0}, int64(id)))
	}
	if known, ok := t.hashes.Load(id); ok {
		return known.(hash)
	}
	most := int(^uint(0) >> 1)
	e := encoder{forms: t.forms, buf: []byte{1}, most: most, limit: most}
	if v := t.get(id); v != nil {
		if err := e.dynamic(reflect.ValueOf(v), 0); err != nil {
			panic(err) // it has been stored
		}
	}
	sum := hashOf(e.buf)
	t.hashes.Store(id, sum)
	return sum
}

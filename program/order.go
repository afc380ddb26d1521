package program

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/txmc/txmc/program/behaviour"
)

// What the sessions of a set have been answered has an order that is the same in all
// processes: it knows no number of a value, a variable or a node. Answers are compared one
// after another, by a hash of what they are; what has nothing after it comes first. Where
// processes explore parts of a program, it says which of the images of an outcome is theirs.

// Order compares what the sessions at two nodes have been answered: it is negative when n comes before
// m, and positive after. It is 0 only where both have been answered the same. settled says that it is so whatever
// follows n and m.
func (c *Client) Order(n, m *behaviour.Node) (order int, settled bool) {
	if c.Storage() != nil { // what the client has not seen is no part of an outcome
		return compareAnswers(c.pasts.sums(n.Past), c.pasts.sums(m.Past))
	}
	if order, settled = compareAnswers(c.answersTo(n, (*behaviour.Node).Informs), c.answersTo(m, (*behaviour.Node).Informs)); settled {
		return order, true
	}
	all := func(*behaviour.Node) bool { return true }
	again, _ := compareAnswers(c.answersTo(n, all), c.answersTo(m, all))
	return cmp.Or(order, again), false
}

// Fingerprint stands for what the session at a node has been answered, by what it is: those of two nodes are
// equal where Order is 0.
func (c *Client) Fingerprint(n *behaviour.Node) [16]byte {
	list := c.pasts.sums(n.Past)
	if c.Storage() == nil {
		list = c.answersTo(n, func(*behaviour.Node) bool { return true })
	}
	var text []byte
	for _, h := range list {
		text = append(text, h[:]...)
	}
	return behaviour.HashOf(text)
}

// compareAnswers compares two sequences. settled says that they differ at one place.
func compareAnswers(a, b []behaviour.Hash) (order int, settled bool) {
	for i := range min(len(a), len(b)) {
		if order := bytes.Compare(a[i][:], b[i][:]); order != 0 {
			return order, true
		}
	}
	return cmp.Compare(len(a), len(b)), false
}

// answersTo are the answers on the way to a node that nodes of a kind got.
func (c *Client) answersTo(n *behaviour.Node, of func(*behaviour.Node) bool) (list []behaviour.Hash) {
	for ; n.Before() != nil; n = n.Before() {
		if n.Before().Waits && of(n.Before()) {
			list = append(list, c.answerHash(n.Before(), n.Value()))
		}
	}
	slices.Reverse(list)
	return list
}

// answerHash names the answer that a node got.
func (c *Client) answerHash(n *behaviour.Node, answer behaviour.ValueID) behaviour.Hash {
	if n.Kind != behaviour.Ask {
		return c.values.Hash(answer)
	}
	if _, rows := c.values.Get(max(answer, 0)).([]int32); answer < 0 || !rows {
		return c.values.Hash(answer)
	}
	text := []byte{2}
	for _, item := range c.Listed(answer) {
		value, key := c.values.Hash(item.Val), c.RawKey(item.Var)
		text = append(binary.AppendUvarint(append(text, value[:]...), uint64(len(key))), key...)
	}
	return behaviour.HashOf(text)
}

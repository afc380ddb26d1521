package format

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/txmc/txmc/history"
)

// The order of the lines of a file of Jepsen claims an order in real time. So they are kept until
// all are there, and written as the clients called and returned. Where that is not known of all
// transactions the lines come as the transactions do, and the file says more than is known.

// elleOrder keeps the lines of transactions with times.
type elleOrder struct {
	events  []elleEvent
	ended   map[int]int64 // by process: when its last transaction ended
	counted bool          // the times number events
	untimed bool          // not all have times that Jepsen can express
}

// elleEvent is a line, without what depends on the lines before it.
type elleEvent struct {
	at       int64
	isReturn bool
	text     string
}

// time sets the times of a call and its end. It is false where there are none that Jepsen can express: its
// processes do one thing after another, and its times are not negative. What is of unknown fate ends at
// once where nobody knows when, as its end says nothing and its session goes on.
func (o *elleOrder) time(t *history.Txn, process int, call, end *elleEvent) bool {
	x := t.Real
	if len(o.events) == 0 {
		o.counted = x.Events
	}
	last, goesOn := o.ended[process]
	if !x.Known || x.Called < 0 || x.Returned < x.Called || x.Events != o.counted || goesOn && x.Called <= last {
		return false
	}
	if t.Fate != history.Committed && x.Returned == history.Never {
		x.Returned = x.Called
	}
	call.at, end.at, o.ended[process] = x.Called, x.Returned, x.Returned
	return true
}

// inOrder calls each for the lines in the order of time. Moments that are equal are no order: the calls
// come first. Who never returned does so at the end.
func (o *elleOrder) inOrder(each func(e elleEvent, time string)) {
	slices.SortStableFunc(o.events, func(a, b elleEvent) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(place(a), place(b)))
	})
	latest := int64(0)
	for _, e := range o.events {
		if e.at != history.Never {
			latest = e.at
		}
		time := fmt.Sprintf(":time %d ", latest)
		if o.counted {
			time = ""
		}
		each(e, time)
	}
}

func place(e elleEvent) int {
	if e.isReturn {
		return 1
	}
	return 0
}

// note is what the reader of the file should know.
func (o *elleOrder) note() string {
	if !o.untimed {
		return ""
	}
	return "the history does not tell when each transaction was called and returned, or not as Jepsen's processes do: the file has one after " +
		"another, which is no order in real time. Levels with real time, as strict serializability, say nothing of it"
}

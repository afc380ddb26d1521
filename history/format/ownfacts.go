package format

import (
	"encoding/json"
	"fmt"

	"github.com/txmc/txmc/history"
)

// What the own format tells beside operations: times of the clients, orders of versions, versions
// that match, deletions.

// interval is when the client called the transaction and had its answer.
func (x *ownLine) interval(t *history.Txn) error {
	t.Real = history.Interval{}
	switch {
	case x.Called == nil && (x.Back != nil || x.Events):
		return fmt.Errorf("expected called beside returned or events")
	case x.Called == nil:
		return nil
	}
	t.Real = history.Interval{Known: true, Events: x.Events, Called: *x.Called, Returned: history.Never}
	if x.Back != nil {
		t.Real.Returned = *x.Back
	}
	if t.Real.Returned < t.Real.Called {
		return fmt.Errorf("the transaction returned, at %d, before it was called, at %d", t.Real.Returned, t.Real.Called)
	}
	return nil
}

// order is the order of a key's versions.
func (x *ownLine) order(s *source) (f history.Fact, err error) {
	if f.Key, err = keyOf(s, x.Versions); err != nil {
		return f, err
	}
	if f.Versions, err = valuesOf(x.Values); err != nil {
		return f, err
	}
	there := map[history.Value]bool{}
	for _, v := range f.Versions {
		if there[v] {
			return f, fmt.Errorf("the value %v of %s stands twice in the order of its versions", v, f.Key)
		}
		there[v] = true
	}
	return f, nil
}

// versionsOf are versions, pairs of key and value.
func versionsOf(s *source, pairs [][2]any) (list []history.Version, err error) {
	for _, pair := range pairs {
		key, wrong := keyOf(s, pair[0])
		v, err := valueOf(pair[1])
		if err != nil || wrong != nil {
			return nil, fmt.Errorf("expected versions [key, value], got %v", pair)
		}
		list = append(list, history.Version{Key: key, Value: v})
	}
	return list, nil
}

// deletionsOf are deletions: key, value and number.
func deletionsOf(s *source, triples [][3]any) (list []history.Deletion, err error) {
	for _, x := range triples {
		versions, err := versionsOf(s, [][2]any{{x[0], x[1]}})
		if err != nil {
			return nil, err
		}
		n, ok := x[2].(json.Number)
		at, err := n.Int64()
		if !ok || err != nil {
			return nil, fmt.Errorf("expected deletions [key, value, number], got %v", x)
		}
		list = append(list, history.Deletion{Version: versions[0], At: at})
	}
	return list, nil
}

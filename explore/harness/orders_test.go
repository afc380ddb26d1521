package harness

import (
	"encoding/json"
	"strings"
	"testing"
)

// When nobody is there any more who would take the result, an order ends: its worker may
// have been killed, and a region of states has no time limit.
func TestOrderWithoutWorker(t *testing.T) {
	todo := make(chan *order, 1)
	in := json.NewDecoder(strings.NewReader(`{"order":{"id":"1"}}`))
	if err := (&server{}).read(t.Context(), in, todo); err != nil {
		t.Fatal(err)
	}
	if o := <-todo; o.ctx.Err() == nil {
		t.Error("the order goes on")
	}
}

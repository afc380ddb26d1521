package model

import (
	"math/rand/v2"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/txmc/txmc/program/access"
)

// Numbers are in the order of the values, in whatever order these are met.
func TestOrder(t *testing.T) {
	ctx := sql.NewEmptyContext()
	o := &order{of: types.MustCreateStringWithDefaults(types.Text.Type(), 20)}
	var texts []string
	for c := 'a'; c <= 'z'; c++ {
		texts = append(texts, string(c), string(c)+"x", string(c)+"y")
	}
	numbers := map[string]int{}
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(len(texts)) {
		n, err := o.number(ctx, texts[i])
		if err != nil {
			t.Fatal(err)
		}
		numbers[texts[i]] = n
	}
	for i := 1; i < len(texts); i++ {
		if numbers[texts[i-1]] >= numbers[texts[i]] {
			t.Errorf("%s has %d and %s has %d", texts[i-1], numbers[texts[i-1]], texts[i], numbers[texts[i]])
		}
	}
	if n, err := o.number(ctx, nil); err != nil || n != access.Null {
		t.Errorf("null has %d, %v", n, err)
	}
}

// Where no number is left between two others there is an error.
func TestOrderWithoutRoom(t *testing.T) {
	o := &order{labels: []label{{"a", 1}, {"c", 2}}}
	if n, err := o.between(1); err == nil {
		t.Errorf("got %d", n)
	}
}

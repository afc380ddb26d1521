package mock

import (
	"fmt"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
)

// The same seed draws the same answers, another one others; fresh draws each version, and
// rather those that were served less.
func TestDraw(t *testing.T) {
	t.Parallel()
	run := func(o Options) (all string) {
		kv, err := NewKV(o)
		if err != nil {
			t.Fatal(err)
		}
		do := func(c *Session, f func() error) {
			t.Helper()
			if err := c.Begin(); err != nil {
				t.Fatal(err)
			}
			if err := f(); err != nil {
				t.Fatal(err)
			}
			if err := c.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		writer := kv.Session("writer")
		for n := range 3 {
			do(writer, func() error { return writer.Write("x", n) })
		}
		for n := range 30 {
			c := kv.Session(fmt.Sprint(n))
			do(c, func() error {
				v, err := c.Read("x")
				all += fmt.Sprint(v, " ")
				return err
			})
		}
		return all
	}
	o := Options{Level: isolation.RC, Seed: 5, Weak: WeakAlways}
	first := run(o)
	if again := run(o); again != first {
		t.Errorf("%s, and again %s", first, again)
	}
	o.Seed++
	if other := run(o); other == first {
		t.Errorf("another seed draws %s as well", other)
	}
	o.Fresh = 1
	counts := map[byte]int{}
	for i := 0; i < len(run(o)); i++ {
		counts[run(o)[i]]++
	}
	for _, v := range "012" {
		if counts[byte(v)] < 4 {
			t.Errorf("%c is served %d times of 30", v, counts[byte(v)])
		}
	}
	// How much more the version that is served most is served than the one served least.
	uneven := func(fresh float64) (sum int) {
		for o.Seed = range 300 {
			o.Fresh = fresh
			all := run(o)
			zero, one, two := strings.Count(all, "0 "), strings.Count(all, "1 "), strings.Count(all, "2 ")
			sum += max(zero, one, two) - min(zero, one, two)
		}
		return sum
	}
	never, half, always := uneven(0), uneven(0.5), uneven(1)
	if half*10 > never*9 || always*10 > half*9 {
		t.Errorf("versions are served unevenly by %d, with fresh=0.5 by %d, with fresh by %d", never, half, always)
	}
}

package report

import "testing"

func TestChanges(t *testing.T) {
	const order = `{ID:17 Owner:ann smith Lines:[{Item:tea N:2} {Item:cup N:1}] Status:new}`
	for is, want := range map[string]string{
		order: order,
		`{ID:17 Owner:ann smith Lines:[{Item:tea N:2} {Item:cup N:1}] Status:paid}`: `{… Status:paid}`,
		`{ID:17 Owner:ann jones Lines:[{Item:tea N:2} {Item:cup N:2}] Status:new}`:  `{… Owner:ann jones Lines:[{Item:tea N:2} {Item:cup N:2}]}`,
		`{ID:18 Owner:x Lines:[] Status:something else, which is rather long}`:      `{ID:18 Owner:x Lines:[] Status:something else, which is rather long}`,
		`{ID:17 Other:ann smith Lines:[{Item:tea N:2} {Item:cup N:1}] Status:new}`:  `{ID:17 Other:ann smith Lines:[{Item:tea N:2} {Item:cup N:1}] Status:new}`,
		`{ID:17}`: `{ID:17}`,
		`a text that is long enough and no struct nor any map`: `a text that is long enough and no struct nor any map`,
	} {
		if got := changes(order, is, longFields); got != want {
			t.Errorf("%s\nis shown as %s, want %s", is, got, want)
		}
	}
	was := `map[alice:100 bob:200 carol:300 dave:400 "a b":500]`
	if got, want := changes(was, `map[alice:100 bob:150 carol:300 erin:1 "a b":500]`, longFields), `map[… bob:150 erin:1 no dave]`; got != want {
		t.Errorf("shown as %s, want %s", got, want)
	}
	const nested = `{ID:1 Items:map[a:1 b:2 c:3] Ship:&{Street:Main Street City:Rome} Total:0.00 Tags:[]}`
	for is, want := range map[string]string{
		`{ID:1 Items:map[a:1 b:2 c:3] Ship:&{Street:Main Street City:Oslo} Total:0.00 Tags:[]}`:       `{… Ship:&{Street:Main Street City:Oslo}}`,
		`{ID:1 Items:map[a:1 b:2 c:4 d:5] Ship:&{Street:Main Street City:Oslo} Total:0.00 Tags:[]}`:   `{… Items:map[… c:4 d:5] Ship:&{… City:Oslo}}`,
		`{ID:2 Items:map[b:3] Ship:&{Street:Main Street City:Oslo} Total:1.00 Tags:[new]}`:            `{ID:2 Items:map[b:3] Ship:&{… City:Oslo} Total:1.00 Tags:[new]}`,
		`{ID:1 Items:map[a:1 b:2 c:3] Ship:<nil> Total:0.00 Tags:[one of them and another one, two]}`: `{… Ship:<nil> Tags:[one of them and another one, two]}`,
	} {
		if got := changes(nested, is, longFields); got != want {
			t.Errorf("%s\nis shown as %s, want %s", is, got, want)
		}
	}
}

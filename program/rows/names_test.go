package rows

import "testing"

// Variables of different rows and kinds have different names, whatever the keys are.
func TestNames(t *testing.T) {
	names := map[string]string{}
	add := func(name, what string) {
		if other, ok := names[name]; ok {
			t.Errorf("%s and %s are both called %s", what, other, name)
		}
		names[name] = what
	}
	for _, id := range []string{"a", "a key", "a key key", `"a key"`, `"a`, `"\"a\""`, `"\"a key\""`, "", " key"} {
		add(ContentVar("t", id), "the row "+id)
		add(KeyVar("t", id), "the key "+id)
		if !IsKeyVar(KeyVar("t", id)) || IsKeyVar(ContentVar("t", id)) {
			t.Errorf("the key variable of %s is not told apart", id)
		}
	}
}

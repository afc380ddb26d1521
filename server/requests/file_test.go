package requests

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const good = `start: python3 app.py
ready: GET /health
`

// TestMistakes: each has its line and column, and says what to do.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"", "1:1: the file is empty"},
		{"start: [", "1:1: this is no YAML: "},
		{"start: a\n  b: c", "2:1: this is no YAML: "},
		{"- a", "1:1: the file: give names and values"},
		{good, "1:1: there are no sessions: "},
		{"sessions: {ann: GET /}", "1:1: there is no start: "},
		{"start: a\nsessions: {ann: GET /}", "1:1: there is no ready: "},
		{good + "start: b", "3:1: the file: start is there twice"},
		{good + "sesions: {}", `3:1: the file has no field "sesions": those that it may have are agent, check, `},
		{good + "sessions:\n  ann: get /", `4:8: "get /" is no request: `},
		{good + "sessions:\n  ann: {path: /}", `4:9: a request has no field "path"`},
		{good + "sessions:\n  ann: {body: {}}", "4:8: give a request, as "},
		{good + "sessions:\n  ann: {run: a, body: {}}", "4:8: a command has no request, "},
		{good + "sessions:\n  ann: {request: 'POST / {}', body: {}}", "4:8: the body is there twice"},
		{good + "sessions:\n  ann: []", "4:8: sessions: ann sends nothing"},
		{good + "sessions:\n  final: GET /", `4:10: sessions: a session cannot be called "final"`},
		{good + "sessions:\n  ann: 'GET /${id}'", "4:1: sessions: ann: ${id} is not given before"},
		{good + "sessions: {ann: GET /}\nagent: cobol", `4:8: agent: "cobol" is none of node`},
		{good + "sessions: {ann: GET /}\nprocesses: many", `4:12: processes: "many" is none of shared, `},
		{good + "sessions: {ann: GET /}\nschema: none.sql", "4:9: schema: no file is called none.sql"},
		{good + "sessions: {ann: GET /}\ndir: none", "4:6: dir: "},
		{good + "sessions: {ann: GET /}\nignore: '('", "4:9: ignore: "},
		{good + "sessions: {ann: GET /}\nsettle: 5", `4:9: settle: "5" is no time`},
		{good + "sessions: {ann: GET /}\ncheck: all", `4:8: check: "all" is none of `},
		{good + "sessions: {ann: GET /}\ncheck: {status: 200}", "4:8: check: give sql or response"},
		{good + "sessions: {ann: GET /}\ncheck: {response: bob, status: 200}", `4:1: check: there is no session "bob"`},
		{good + "sessions: {ann: GET /}\ncheck: {response: ann, number: 2, status: 200}", `4:1: check: session "ann" sends 1 requests, and number is 2`},
	} {
		_, err := parse("/none/f.yaml", []byte(test.text))
		if err == nil || !strings.HasPrefix(strings.TrimPrefix(err.Error(), ":"), test.want) {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}

// FuzzParse: bad files are errors.
func FuzzParse(f *testing.F) {
	f.Add(good + "sessions: {ann: [GET /, {run: a}]}\ncheck: [no 5xx, {sql: SELECT true}]")
	f.Add("a: &a [*a]")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := parse("/none/f.yaml", []byte(text)); err != nil && !strings.Contains(err.Error(), ":") {
			t.Errorf("%q: %v", text, err)
		}
	})
}

// TestSchema: the JSON Schema names the fields that files may have, of the file, of steps and of checks.
func TestSchema(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/requests.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Properties map[string]any `json:"properties"`
	}
	var schema struct {
		object
		Defs map[string]struct {
			AnyOf []object `json:"anyOf"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	step, check := schema.Defs["step"].AnyOf[1].Properties, maps.Clone(schema.Defs["check"].AnyOf[2].Properties)
	maps.Copy(check, schema.Defs["check"].AnyOf[1].Properties)
	for what, properties := range map[string]map[string]any{
		"nothing: x": schema.Properties, good + "sessions: {ann: {nothing: x}}": step, good + "sessions: {ann: GET /}\ncheck: {nothing: x}": check,
	} {
		_, err := parse("/none/f.yaml", []byte(what))
		_, fields, _ := strings.Cut(err.Error(), "may have are ")
		if want := strings.Join(slices.Sorted(maps.Keys(properties)), ", "); fields != want {
			t.Errorf("%q: the schema has %s, and files may have %s", what, want, fields)
		}
	}
}

// TestExamples: the examples are files of requests.
func TestExamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/requests/*/*.yaml")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if f, err := Read(name); err != nil || f.Program() != regexp.MustCompile(`\w+\.yaml$`).FindString(name)[:len(f.Program())] {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPaths: what paths lead to in JSON.
func TestPaths(t *testing.T) {
	t.Parallel()
	const body = `{"id": 12345678901234567890, "items": [{"name": "a"}], "none": null}`
	for path, want := range map[string]string{"$.id": "12345678901234567890", "$.items[0].name": "a", "$.none": "null", "$.items": `[{"name":"a"}]`} {
		if got, err := at(body, path); got != want || err != nil {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	for _, path := range []string{"id", "$.nothing", "$.items[1]", "$.id.x", "$["} {
		if got, err := at(body, path); err == nil {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// TestFootprints: what statements touch, and which meet.
func TestFootprints(t *testing.T) {
	t.Parallel()
	c := catalog{tables: map[string]bool{"item": true, "orders": true, "users": true, "lines": true}, parents: map[string][]string{"orders": {"users"}, "lines": {"orders"}}}
	for _, test := range []struct {
		a, b  []string
		meets bool
	}{
		{[]string{"SELECT * FROM item"}, []string{"SELECT * FROM item"}, false},
		{[]string{"SELECT * FROM item"}, []string{`UPDATE "item" SET n = 1`}, true},
		{[]string{"SELECT * FROM item"}, []string{"SELECT * FROM public.Item FOR KEY SHARE"}, true},
		{[]string{"SELECT * FROM item"}, []string{"WITH x AS (DELETE FROM item RETURNING *) SELECT * FROM x"}, true},
		{[]string{"UPDATE users SET n = 1"}, []string{"UPDATE item SET n = 1"}, false},
		{[]string{"INSERT INTO orders VALUES (1)"}, []string{"UPDATE users SET n = 1"}, true},                // it refers to users
		{[]string{"DELETE FROM users"}, []string{"SELECT * FROM lines"}, true},                               // cascades
		{[]string{"INSERT INTO users VALUES (1)"}, []string{"SELECT * FROM lines"}, false},                   // nothing refers to a new row
		{[]string{"SELECT pg_advisory_lock(1)"}, []string{"SELECT pg_try_advisory_xact_lock(1), 'x'"}, true}, // the same, perhaps
	} {
		a, b := c.of(test.a), c.of(test.b)
		if a.meets(b) != test.meets || b.meets(a) != test.meets {
			t.Errorf("%q and %q: %v", test.a, test.b, !test.meets)
		}
	}
}

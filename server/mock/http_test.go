package mock

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
)

// web is a client of the HTTP form.
type web struct {
	t   *testing.T
	url string
}

func (w web) do(method, path, body string) (status int, got map[string]any) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(b) > 0 {
		if err := json.Unmarshal(b, &got); err != nil {
			w.t.Fatalf("%s %s: %s", method, path, b)
		}
	}
	return a.StatusCode, got
}

// At SI two sessions that read and write the same key lose no update: the second one
// is told to try again.
func TestHTTP(t *testing.T) {
	kv, err := NewKV(Options{Level: isolation.SI, Latest: 1})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(kv.Handler())
	defer server.Close()
	w := web{t, server.URL}
	for _, want := range []string{"1", "2"} {
		if status, got := w.do("POST", "/sessions", ""); status != http.StatusCreated || got["session"] != want {
			t.Fatalf("%d %v", status, got)
		}
	}
	for _, step := range []struct {
		method, path, body string
		status             int
		want               any // "value", or the code of an error
	}{
		{"PUT", "/sessions/1/keys/a/b", `{"n": 1}`, 204, nil},
		{"PUT", "/sessions/1/keys/a/b", `{`, 400, "22000"},
		{"PUT", "/sessions/1/keys/a/b", `"` + strings.Repeat("x", maxBody) + `"`, 400, "22000"},
		{"GET", "/sessions/2/keys/nothing", "", 200, nil},
		{"PUT", "/sessions/1/keys/x", `1`, 204, nil},
		{"POST", "/sessions/1/begin", "", 204, nil},
		{"POST", "/sessions/2/begin", "", 204, nil},
		{"POST", "/sessions/2/begin", "", 409, "25001"},
		{"GET", "/sessions/1/keys/x", "", 200, 1.0},
		{"GET", "/sessions/2/keys/x?lock=1", "", 200, 1.0},
		{"PUT", "/sessions/1/keys/x", `2`, 204, nil},
		{"PUT", "/sessions/2/keys/x", `3`, 409, "40001"},
		{"GET", "/sessions/2/keys/x", "", 409, "25P02"},
		{"POST", "/sessions/2/rollback", "", 204, nil},
		{"POST", "/sessions/2/commit", "", 409, "25P01"},
		{"POST", "/sessions/1/commit", "", 204, nil},
		{"GET", "/sessions/2/keys/x", "", 200, 2.0},
		{"DELETE", "/sessions/2/keys/x", "", 204, nil},
		{"GET", "/sessions/1/keys/x", "", 200, nil},
		{"DELETE", "/sessions/1", "", 204, nil},
		{"GET", "/sessions/1/keys/x", "", 404, "08003"},
		{"GET", "/sessions/3/keys/x", "", 404, "08003"},
		{"GET", "/counts", "", 200, nil},
		{"GET", "/", "", 404, "42704"},
		{"POST", "/sessions/2/keys/x", "", 404, "42704"},
	} {
		status, got := w.do(step.method, step.path, step.body)
		value := got["value"]
		if e, ok := got["error"].(map[string]any); ok {
			value = e["code"]
		}
		if status != step.status || value != step.want {
			t.Errorf("%s %s: %d %v, want %d %v", step.method, step.path, status, got, step.status, step.want)
		}
	}
}

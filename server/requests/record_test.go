package requests

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRecord: what goes through the proxy is what a file of requests has by the archive, each request once.
func TestRecord(t *testing.T) {
	t.Parallel()
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		if strings.HasSuffix(q.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
		}
		if q.URL.Path == "/moved" {
			http.Redirect(w, q, "http://"+q.Host+"/", http.StatusSeeOther)
		}
		w.Write(body)
	}))
	defer app.Close()
	to, err := url.Parse(app.URL)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	proxy := httptest.NewServer(&Recorder{To: to, Out: filepath.Join(dir, "shop.har"), Log: io.Discard})
	defer proxy.Close()
	for _, q := range []struct{ method, path, body string }{
		{"GET", "/", ""}, {"GET", "/app.js", ""}, {"POST", "/buy?n=1", `{"item": "ä"}`}, {"POST", "/buy?n=1", `{"item": "ä"}`}, {"PUT", "/moved", "a=1&b=2"},
	} {
		r, err := http.NewRequest(q.method, proxy.URL+q.path, strings.NewReader(q.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer x")
		r.Header.Set("Referer", "http://elsewhere")
		got, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(got.Body)
		got.Body.Close()
		if err != nil || string(body) != q.body {
			t.Errorf("%s %s: %q, %v", q.method, q.path, body, err)
		}
		if at := got.Header.Get("Location"); at != "" && at != proxy.URL+"/" {
			t.Errorf("a redirect leads past the proxy: %s", at)
		}
	}
	f, err := parse(filepath.Join(dir, "shop.yaml"), []byte(good+"requests: [shop.har, GET /more]"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range f.Requests {
		got = append(got, r.name)
		if h := r.steps[0].request.Header; r.name != "GET /more" && (h["Authorization"] != "Bearer x" || h["Referer"] != "") {
			t.Errorf("%s: %v", r.name, h)
		}
	}
	if all := strings.Join(got, ", "); all != `GET /, POST /buy?n=1 {"item": "ä"}, PUT /moved a=1&b=2, GET /more` {
		t.Error(all)
	}
}

// TestRecordings: archives of browsers name hosts of others, pictures, forms by their fields, and headers of HTTP/2.
func TestRecordings(t *testing.T) {
	t.Parallel()
	const browser = `{"log": {"version": "1.2", "entries": [
		{"request": {"method": "GET", "url": "https://cdn.example/lib.js", "headers": []}, "response": {"status": 200, "content": {"mimeType": "application/javascript"}}},
		{"request": {"method": "GET", "url": "http://localhost:3000/", "headers": []}, "response": {"status": 200, "content": {"mimeType": "text/html"}}},
		{"request": {"method": "OPTIONS", "url": "http://localhost:8000/cart", "headers": []}},
		{"request": {"method": "POST", "url": "http://localhost:8000/cart#top", "headers": [{"name": ":authority", "value": "localhost"}, {"name": "cookie", "value": "a=b"}, {"name": "sec-fetch-mode", "value": "cors"}],
			"postData": {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "item", "value": "1 & 2"}]}}, "response": {"status": 200, "content": {"mimeType": "image/png"}}}]}}`
	dir := t.TempDir()
	for name, test := range map[string]struct{ text, want string }{
		"browser.har": {browser, ""},
		"empty.har":   {`{"log": {"entries": [null, {}]}}`, "3:11: requests: empty.har has no request to an application"},
		"broken.har":  {`{}`, "3:11: requests: broken.har is no HTTP archive: "},
		"none.har":    {"", "3:11: requests: open "},
	} {
		if test.text != "" {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f, err := parse(filepath.Join(dir, "f.yaml"), []byte(good+"requests: "+name))
		if test.want != "" {
			if err == nil || !strings.HasPrefix(strings.TrimPrefix(err.Error(), ":"), test.want) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || len(f.Requests) != 1 {
			t.Fatalf("%v, %v", f, err)
		}
		if r := f.Requests[0].steps[0].request; r.String() != "POST /cart item=1+%26+2" || len(r.Header) != 1 || r.Header["cookie"] != "a=b" {
			t.Errorf("%v %v", r, r.Header)
		}
	}
}

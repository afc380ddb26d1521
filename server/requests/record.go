package requests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/chromedp/cdproto/har"
)

// Recorder is a proxy in front of an application. It writes what is asked into an HTTP archive, for the field requests of a
// file. Responses are noted by their status and type.
type Recorder struct {
	To  *url.URL
	Out string // the archive
	Log io.Writer

	mu      sync.Mutex
	entries []*har.Entry
}

// errBody is met where the client does not send its whole request.
var errBody = errors.New("the request breaks off")

// ServeHTTP has the application answer, and notes the request.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		http.Error(w, errBody.Error(), http.StatusBadRequest)
		return
	}
	q.Body = io.NopCloser(bytes.NewReader(body))
	e := entry(q, body)
	began := time.Now()
	proxy := httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(r.To)
			p.Out.Host = p.In.Host // links and redirects of the application lead here again
		},
		ModifyResponse: func(got *http.Response) error {
			e.Time = float64(time.Since(began).Milliseconds())
			e.Response.Status, e.Response.StatusText = int64(got.StatusCode), http.StatusText(got.StatusCode)
			e.Response.Content.MimeType = got.Header.Get("Content-Type")
			return r.note(e)
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, fmt.Sprintf("txmc record: %s does not answer: %v", r.To, err), http.StatusBadGateway)
			fmt.Fprintf(r.Log, "%s does not answer: %v\n", r.To, err)
		},
	}
	proxy.ServeHTTP(w, q)
}

// entry is a request of an archive, whose response is to come.
func entry(q *http.Request, body []byte) *har.Entry {
	u := *q.URL
	u.Scheme, u.Host = "http", q.Host
	out := &har.Request{Method: q.Method, URL: u.String(), HTTPVersion: q.Proto, Cookies: []*har.Cookie{}, Headers: []*har.NameValuePair{}, QueryString: []*har.NameValuePair{},
		HeadersSize: -1, BodySize: int64(len(body))}
	for name, values := range q.Header {
		for _, v := range values {
			out.Headers = append(out.Headers, &har.NameValuePair{Name: name, Value: v})
		}
	}
	if len(body) > 0 {
		out.PostData = &har.PostData{MimeType: q.Header.Get("Content-Type"), Params: []*har.Param{}, Text: string(body)}
	}
	return &har.Entry{StartedDateTime: time.Now().Format(time.RFC3339Nano), Request: out, Cache: &har.Cache{}, Timings: &har.Timings{},
		Response: &har.Response{HTTPVersion: q.Proto, Cookies: []*har.Cookie{}, Headers: []*har.NameValuePair{}, Content: &har.Content{}, HeadersSize: -1, BodySize: -1}}
}

// note adds an entry and writes the archive, so that nothing is lost when the process ends.
func (r *Recorder) note(e *har.Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = append(r.entries, e)
	fmt.Fprintf(r.Log, "%s %s → %d\n", e.Request.Method, e.Request.URL, e.Response.Status)
	text, err := json.MarshalIndent(har.HAR{Log: &har.Log{Version: "1.2", Creator: &har.Creator{Name: "txmc record"}, Entries: r.entries}}, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.Out+"~", text, 0o600); err != nil {
		return err
	}
	return os.Rename(r.Out+"~", r.Out)
}

// Requests is how many have been noted.
func (r *Recorder) Requests() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.entries)
}

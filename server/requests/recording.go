package requests

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/chromedp/cdproto/har"
	"go.yaml.in/yaml/v3"

	"github.com/txmc/txmc/server/application"
)

// A recording is an HTTP archive (HAR 1.2), as browsers save it and a [Recorder] writes it. Its requests are those to the
// application, each once: what a page loads beside, such as pictures and scripts, is left out.

// IsRecording reports whether the name is that of a recording.
func IsRecording(name string) bool { return strings.HasSuffix(name, ".har") }

// recorded are the requests of a recording that a node names.
func (f *File) recorded(n *yaml.Node) (list []session, err error) {
	name := n.Value
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(f.Name), name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, wrong(n, "requests: %v", err)
	}
	var archive har.HAR
	if err := json.Unmarshal(text, &archive); err != nil || archive.Log == nil {
		return nil, wrong(n, "requests: %s is no HTTP archive: %v", n.Value, err)
	}
	seen, host := map[string]bool{}, applicationOf(archive.Log.Entries)
	for _, e := range archive.Log.Entries {
		u, ok := asked(e)
		if !ok || u.Host != host {
			continue
		}
		s := step{line: n.Line, request: requestOf(e.Request, u)}
		if !seen[s.key()] {
			seen[s.key()] = true
			list = append(list, session{s.request.String(), n.Line, []step{s}})
		}
	}
	if len(list) == 0 {
		return nil, wrong(n, "requests: %s has no request to an application", n.Value)
	}
	return list, nil
}

// beside matches types of what a page loads beside.
var beside = regexp.MustCompile(`(?i)^(image|font|audio|video)/|^text/css|javascript|font`)

// asked is the address of an entry that asks the application for something.
func asked(e *har.Entry) (*url.URL, bool) {
	if e == nil || e.Request == nil || e.Request.Method == "OPTIONS" {
		return nil, false
	}
	if r := e.Response; r != nil && (r.Status == 101 || e.Request.Method == "GET" && r.Content != nil && beside.MatchString(r.Content.MimeType)) {
		return nil, false
	}
	u, err := url.Parse(e.Request.URL)
	return u, err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// applicationOf is the host to which most requests go that may change something; of several, or where there are none, that of the
// first request.
func applicationOf(entries []*har.Entry) (host string) {
	changing, best := map[string]int{}, -1
	var order []string
	for _, e := range entries {
		if u, ok := asked(e); ok {
			order = append(order, u.Host)
			if e.Request.Method != "GET" && e.Request.Method != "HEAD" {
				changing[u.Host]++
			}
		}
	}
	for _, h := range order {
		if changing[h] > best {
			host, best = h, changing[h]
		}
	}
	return host
}

// unsaid matches headers that belong to the client or its connection, and not to what is asked for.
var unsaid = regexp.MustCompile(`(?i)^(:.*|sec-.*|x-forwarded-.*|if-.*|accept-encoding|accept-language|cache-control|connection|content-length|dnt|` +
	`forwarded|host|keep-alive|origin|pragma|priority|referer|te|transfer-encoding|upgrade.*|user-agent)$`)

// requestOf is a request of an archive.
func requestOf(r *har.Request, u *url.URL) application.Request {
	q := application.Request{Method: r.Method, Path: u.RequestURI(), Header: map[string]string{}}
	for _, h := range r.Headers {
		if !unsaid.MatchString(h.Name) {
			q.Header[h.Name] = h.Value
		}
	}
	if p := r.PostData; p != nil {
		if q.Body = p.Text; q.Body == "" {
			form := url.Values{}
			for _, v := range p.Params {
				form.Add(v.Name, v.Value)
			}
			q.Body = form.Encode()
		}
	}
	return q
}

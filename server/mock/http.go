package mock

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// maxBody bounds a value, in bytes.
const maxBody = 1 << 20

// guarded serves who knows the password, whatever user they name.
func guarded(h http.Handler, password string) http.Handler {
	want := sha256.Sum256([]byte(password))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, said, _ := r.BasicAuth()
		if got := sha256.Sum256([]byte(said)); subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Basic realm="txmc serve"`)
			refuse(w, http.StatusUnauthorized, &Error{"28P01", "password authentication failed"})
			return
		}
		h.ServeHTTP(w, r)
	})
}

// Handler offers the store over HTTP, with values in JSON:
//
//	POST   /sessions                  opens a session: {"session": "1"}
//	DELETE /sessions/{id}             closes it
//	POST   /sessions/{id}/begin       begins a transaction; commit and rollback end it
//	GET    /sessions/{id}/keys/{key}  reads: {"found": true, "value": …}; ?lock=1 locks
//	PUT    /sessions/{id}/keys/{key}  writes the JSON value that is the body
//	DELETE /sessions/{id}/keys/{key}  writes that there is nothing
//	GET    /counts                    Counts
//
// Without begin an operation is a transaction of its own. An error is
// {"error": {"code": "40001", "message": …}}, with status 409 when the transaction has
// failed.
func (s *KV) Handler() http.Handler { return s.handler(MaxConnections) }

// handler is Handler with a limit of sessions.
func (s *KV) handler(most int) http.Handler {
	h := &handler{kv: s, most: most, sessions: map[string]*Session{}}
	m := http.NewServeMux()
	m.HandleFunc("POST /sessions", h.open)
	m.HandleFunc("DELETE /sessions/{id}", h.with(h.close))
	m.HandleFunc("POST /sessions/{id}/begin", h.with(func(c *Session, _ *http.Request) (any, error) { return nil, c.Begin() }))
	m.HandleFunc("POST /sessions/{id}/commit", h.with(func(c *Session, _ *http.Request) (any, error) { return nil, c.Commit() }))
	m.HandleFunc("POST /sessions/{id}/rollback", h.with(func(c *Session, _ *http.Request) (any, error) { return nil, c.Rollback() }))
	m.HandleFunc("GET /sessions/{id}/keys/{key...}", h.with(alone(get)))
	m.HandleFunc("PUT /sessions/{id}/keys/{key...}", h.with(alone(put)))
	m.HandleFunc("DELETE /sessions/{id}/keys/{key...}", h.with(alone(remove)))
	m.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, &Error{"42704", "there is no " + r.Method + " " + r.URL.Path + ": POST /sessions is the beginning"})
	})
	m.HandleFunc("GET /counts", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, s.Counts()) })
	return m
}

type handler struct {
	kv   *KV
	most int // sessions

	mu       sync.Mutex
	sessions map[string]*Session
	last     int
}

// operation is what a request asks of a session.
type operation func(*Session, *http.Request) (any, error)

func (h *handler) open(w http.ResponseWriter, _ *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.sessions) >= h.most {
		refuse(w, http.StatusTooManyRequests, &Error{"53300", fmt.Sprintf("there are %d sessions already: close some, or allow more", h.most)})
		return
	}
	h.last++
	id := strconv.Itoa(h.last)
	h.sessions[id] = h.kv.Session(id)
	answer(w, http.StatusCreated, map[string]string{"session": id})
}

func (h *handler) close(c *Session, _ *http.Request) (any, error) {
	h.mu.Lock()
	delete(h.sessions, c.Name)
	h.mu.Unlock()
	c.Close()
	return nil, nil
}

// with finds the session of a request.
func (h *handler) with(do operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		c := h.sessions[r.PathValue("id")]
		h.mu.Unlock()
		if c == nil {
			refuse(w, http.StatusNotFound, &Error{connectionGone, fmt.Sprintf("there is no session %q: POST /sessions opens one", r.PathValue("id"))})
			return
		}
		got, err := do(c, r)
		var bad *badRequest
		switch {
		case errors.As(err, &bad):
			refuse(w, http.StatusBadRequest, &Error{"22000", bad.Error()})
		case err != nil:
			refuse(w, http.StatusConflict, err)
		case got == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			answer(w, http.StatusOK, got)
		}
	}
}

// alone makes an operation a transaction of its own when none is open.
func alone(do operation) operation {
	return func(c *Session, r *http.Request) (any, error) {
		if c.Open() {
			return do(c, r)
		}
		if err := c.Begin(); err != nil {
			return nil, err
		}
		got, err := do(c, r)
		if err != nil {
			_ = c.Rollback() // the error is why
			return nil, err
		}
		return got, c.Commit()
	}
}

func get(c *Session, r *http.Request) (any, error) {
	var v any
	var err error
	if r.URL.Query().Get("lock") != "" {
		v, err = c.Lock(r.Context(), r.PathValue("key"))
	} else {
		v, err = c.Read(r.PathValue("key"))
	}
	if err != nil {
		return nil, err
	}
	return struct {
		Found bool `json:"found"`
		Value any  `json:"value,omitempty"`
	}{v != nil, v}, nil
}

// badRequest is a request that is not understood.
type badRequest struct{ error }

func put(c *Session, r *http.Request) (any, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, &badRequest{err}
	case len(body) > maxBody:
		return nil, &badRequest{fmt.Errorf("the value is larger than %d bytes", maxBody)}
	case !json.Valid(body):
		return nil, &badRequest{errors.New("the value is not JSON")}
	}
	return nil, c.Write(r.PathValue("key"), json.RawMessage(body))
}

func remove(c *Session, r *http.Request) (any, error) { return nil, c.Write(r.PathValue("key"), nil) }

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client has gone
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, status int, err error) {
	e := &Error{Code: "XX000", Message: err.Error()}
	errors.As(err, &e)
	answer(w, status, map[string]any{"error": map[string]string{"code": e.Code, "message": e.Message}})
}

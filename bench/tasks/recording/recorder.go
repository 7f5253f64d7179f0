package recording

import (
	"bytes"
	"net/http"
	"sync"
)

// A Recorder passes requests on and stores the answers.
type Recorder struct {
	handler http.Handler

	mu      sync.Mutex
	answers []Answer
}

// NewRecorder returns a recorder of what handler answers.
func NewRecorder(handler http.Handler) *Recorder {
	return &Recorder{handler: handler}
}

// ServeHTTP answers one request. Lists of models are not recorded.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method == http.MethodGet {
		r.handler.ServeHTTP(w, req)
		return
	}
	t := &tee{ResponseWriter: w, status: http.StatusOK}
	r.handler.ServeHTTP(t, req)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers = append(r.answers, Answer{t.status, w.Header().Clone(), t.body.Bytes()})
}

// Answers returns what was answered so far.
func (r *Recorder) Answers() []Answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Answer(nil), r.answers...)
}

// A tee writes an answer and keeps it.
type tee struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (t *tee) WriteHeader(status int) {
	t.status = status
	t.ResponseWriter.WriteHeader(status)
}

func (t *tee) Write(p []byte) (int, error) {
	t.body.Write(p)
	return t.ResponseWriter.Write(p)
}

// Unwrap lets a proxy flush what it writes.
func (t *tee) Unwrap() http.ResponseWriter { return t.ResponseWriter }

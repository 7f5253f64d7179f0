package recording

import (
	"fmt"
	"net/http"
	"sync"
)

// A Player is a provider's endpoint that gives the answers of a recording, in order. Lists of models are
// left to another handler.
type Player struct {
	recording *Recording
	list      http.Handler

	mu   sync.Mutex
	next int
}

// NewPlayer returns a player of r.
func NewPlayer(r *Recording, list http.Handler) *Player {
	return &Player{recording: r, list: list}
}

// ServeHTTP answers one request.
func (p *Player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		p.list.ServeHTTP(w, r)
		return
	}
	p.mu.Lock()
	n := p.next
	p.next++
	p.mu.Unlock()
	if n >= len(p.recording.Answers) {
		http.Error(w, fmt.Sprintf(`{"error":{"type":"recording_ended","message":"the recording has %d answers"}}`, n), http.StatusBadRequest)
		return
	}
	a := p.recording.Answers[n]
	for name := range a.Header {
		w.Header().Set(name, a.Header.Get(name))
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body)
}

// Left returns how many answers were not requested.
func (p *Player) Left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, len(p.recording.Answers)-p.next)
}

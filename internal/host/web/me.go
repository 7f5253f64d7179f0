package web

import (
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
)

// A meAnswer is the answer of GET /v1/me: what the client may do. A member is missing if there is no such limit.
type meAnswer struct {
	Role      string    `json:"role"`
	Name      string    `json:"name,omitzero"` // of the token
	Sessions  []string  `json:"sessions,omitzero"`
	Workspace string    `json:"workspace,omitzero"`
	Expires   time.Time `json:"expires,omitzero"`
}

// serveMe answers what the client may do. A WebSocket that is refused does not say why to the page that has opened it:
// the page requests this. That it is not signed in is no failed attempt, unless it has sent a token.
func (s *Server) serveMe(w http.ResponseWriter, r *http.Request) {
	b, ok := s.credentials(r)
	if !ok {
		if len(r.Header.Values("Authorization")) > 0 {
			s.refuseStranger(w, r, "the token is not valid")
			return
		}
		refuse(w, http.StatusUnauthorized, "not signed in")
		return
	}
	data, _ := json.Marshal(meAnswer{b.Role, b.Name, b.Sessions, b.Workspace, b.Expires}) // of texts and a time: cannot fail
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(data, '\n')) // the client is gone if not
}

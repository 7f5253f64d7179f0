package engine

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
)

// The refusals of a session are the requests that a client denied for as long as the session is open. They are in
// memory only, since no grant denies. Subagents have those of the session that started them. The zero value is empty;
// it is safe for concurrent use.
type refusals struct {
	mu  lock.Mutex
	all []refusal
}

// A refusal is a denied request.
type refusal struct {
	request  approval.Request
	input    jsontext.Value // of the call; compared if the request is not complete
	confined bool           // only that the call leaves the sandbox was denied
	reason   string         // the client's; "": none
}

// same reports whether r and o are of the same request.
func (r refusal) same(o refusal) bool {
	return r.confined == o.confined && r.request.Same(o.request) && (r.request.Complete() || bytes.Equal(r.input, o.input))
}

// text returns the refusal as the model reads it.
func (r refusal) text() string {
	text := "the user refused this for the rest of the session: do not try it again"
	if r.confined {
		text = "the user refused for the rest of the session that this runs outside of the sandbox: do not try it again"
	}
	if r.reason != "" {
		text += "; the reason was: " + r.reason
	}
	return text
}

// add adds a refusal; a later one replaces an earlier one of the same request.
func (r *refusals) add(one refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one.input = one.input.Clone()
	r.all = append(slices.DeleteFunc(r.all, one.same), one)
}

// find returns the text for the model if the request was refused.
func (r *refusals) find(asked refusal) (text string, refused bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.all, asked.same)
	if i < 0 {
		return "", false
	}
	return r.all[i].text(), true
}

// lift removes the refusals of requests that grants cover: they were given later.
func (r *refusals) lift(grants *approval.GrantSet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = slices.DeleteFunc(r.all, func(one refusal) bool { return grants.Covers(one.request) })
}

// refuse denies the request of an approval for the rest of the session, and what waits for the same. The caller holds
// the session's lock.
func (s *Session) refuse(pending *pendingApproval, reason string) {
	s.clients.refusals.add(pending.refusal(reason))
	for _, id := range slices.Clone(s.fold.Open.Approvals) {
		if p := s.clients.approvals[id]; p != nil {
			if text, refused := s.clients.refusals.find(p.refusal("")); refused {
				s.resolve(id, answer{reason: text, by: event.ByPolicy})
			}
		}
	}
}

// isConfined reports whether a pending approval is about a command that runs in the sandbox already.
func (s *Session) isConfined(id event.ApprovalID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.clients.approvals[id]
	return p != nil && p.confined
}

// refusal returns the refusal of what the approval is for.
func (p *pendingApproval) refusal(reason string) refusal {
	return refusal{request: p.request, input: p.asked.Input, confined: p.confined, reason: reason}
}

package agentair

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
)

// openRequests are the requests to the client that have no answer, by the ids that clients use. It is safe for concurrent use.
type openRequests struct {
	mu        lock.Mutex
	batches   int
	permits   map[string][]*permissionRequest // by call, whose id may be in several sessions
	batched   map[string][]*permissionRequest // by batch
	questions map[string][]*questionRequest
}

// A permissionRequest is a message that requests permissions.
type permissionRequest struct {
	session *session
	pending []pendingPermission
}

// An questionRequest is a message with questions.
type questionRequest struct {
	session   *session
	question  event.QuestionID
	questions []Question
}

func newOpenRequests() *openRequests {
	return &openRequests{permits: map[string][]*permissionRequest{}, batched: map[string][]*permissionRequest{}, questions: map[string][]*questionRequest{}}
}

func (a *openRequests) nextBatch() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.batches++
	return fmt.Sprintf("batch-%d", a.batches)
}

func (a *openRequests) permit(s *session, m permissionMessage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := &permissionRequest{s, m.pending}
	if m.batch {
		a.batched[m.id] = append(a.batched[m.id], p)
	} else {
		a.permits[m.id] = append(a.permits[m.id], p)
	}
}

func (a *openRequests) question(s *session, m questionMessage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	call := m.message.ToolUseID
	a.questions[call] = append(a.questions[call], &questionRequest{s, m.question, m.questions})
}

// settle removes what was settled without the client: a call, or questions.
func (a *openRequests) settle(s *session, id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	forget(a.permits, func(p *permissionRequest) bool { return p.without(s, id) })
	forget(a.batched, func(p *permissionRequest) bool { return p.without(s, id) })
	forget(a.questions, func(q *questionRequest) bool { return q.session == s && string(q.question) == id })
}

// forget removes what is over.
func forget[T any](all map[string][]*T, over func(*T) bool) {
	for id, list := range all {
		if all[id] = slices.DeleteFunc(list, over); len(all[id]) == 0 {
			delete(all, id)
		}
	}
}

// without removes a call of a session from p, and reports whether nothing is left.
func (p *permissionRequest) without(s *session, call string) bool {
	if p.session == s {
		p.pending = slices.DeleteFunc(slices.Clone(p.pending), func(one pendingPermission) bool { return one.id == call })
	}
	return len(p.pending) == 0
}

// take removes a request of one of the maps and returns it. An answer that names a session is for a
// request of that one.
func take[T any](a *openRequests, all map[string][]*T, id string, of func(*T) *session, session *int64) *T {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(all[id], func(one *T) bool { return session == nil || of(one).id == *session })
	if i < 0 {
		return nil
	}
	found := all[id][i]
	forget(all, func(one *T) bool { return one == found })
	return found
}

func (p *permissionRequest) owner() *session { return p.session }
func (q *questionRequest) owner() *session   { return q.session }

// takeRequest returns the message that a request for permission was sent with, alone or in a
// batch, and the request, which is not pending any more.
func (a *openRequests) takeRequest(id string, session *int64) (*permissionRequest, pendingPermission) {
	if p := take(a, a.permits, id, (*permissionRequest).owner, session); p != nil {
		return p, p.pending[0]
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, list := range a.batched {
		for _, p := range list {
			i := slices.IndexFunc(p.pending, func(one pendingPermission) bool { return one.id == id })
			if i < 0 || session != nil && p.session.id != *session {
				continue
			}
			one := p.pending[i]
			forget(a.batched, func(other *permissionRequest) bool { return other == p && p.without(p.session, id) })
			return p, one
		}
	}
	return nil, pendingPermission{}
}

// permission takes the answer to one request, which may be one of a batch.
func (c *conn) permission(m PermissionResponse) {
	var grants []approval.Grant
	if g := m.Response.Grant; g != nil && m.Response.Granted {
		converted, err := c.toGrant(*g)
		if err != nil {
			c.post(Error{Message: "Malformed input: " + err.Error(), SessionID: m.SessionID})
			return
		}
		grants = append(grants, converted)
	}
	p, one := c.requests.takeRequest(m.ToolUseID, m.SessionID)
	switch {
	case p == nil:
		c.post(noPermission(m.ToolUseID, m.SessionID))
		return
	case !m.Response.Granted:
		c.answer(p.session, noPermission(m.ToolUseID, m.SessionID), nil, one.denied(reasonOf(m.Response.Message)))
		return
	case grants == nil && one.wanted != nil:
		grants = one.wanted
	case grants == nil && m.Response.Scope == ScopeSession:
		grants = grantsFor(one.needs)
	}
	c.answer(p.session, noPermission(m.ToolUseID, m.SessionID), grants, one.allowed())
}

// toGrant returns the function toGrant for a client's grant. A tool has to be one of some session's.
func (c *conn) toGrant(g Grant) (approval.Grant, error) {
	own, err := toGrant(g, c.cfg.Now())
	if err != nil || own.Target.Kind != approval.TargetTool {
		return own, err
	}
	for _, s := range c.sessions {
		for _, info := range s.eng.Context().Tools() {
			if info.Name == own.Target.Tool {
				return own, nil
			}
		}
	}
	return own, fmt.Errorf("invalid grant: there is no tool %q", own.Target.Tool)
}

func (p pendingPermission) allowed() engine.ApprovalAnswer {
	return engine.ApprovalAnswer{ID: p.approval, Decision: engine.Decision{Allow: true}}
}

func (p pendingPermission) denied(reason string) engine.ApprovalAnswer {
	return engine.ApprovalAnswer{ID: p.approval, Decision: engine.Decision{Reason: reason}}
}

// answer gives answers to the session, with the grants to be kept. If an interrupt or the end
// of the session was first, nothing is kept and the client receives late.
func (c *conn) answer(s *session, late Error, grants []approval.Grant, answers ...engine.ApprovalAnswer) {
	if err := s.client.AnswerAll(answers, grants...); err != nil {
		s.say(late)
	}
}

func reasonOf(message *string) string {
	if message == nil || *message == "" {
		return textDenied
	}
	return textDenied + ": " + *message
}

// batchPermission takes the answer to a batch: each request for itself.
func (c *conn) batchPermission(m BatchPermissionResponse) {
	var grants approval.GrantSet
	var stored []approval.Grant
	for _, g := range m.ApprovedGrants {
		converted, err := c.toGrant(g)
		if err != nil {
			c.post(Error{Message: "Malformed input: " + err.Error()})
			return
		}
		if converted, err = grants.AddGrant(converted); err == nil {
			stored = append(stored, converted)
		}
	}
	p := take(c.requests, c.requests.batched, m.BatchID, (*permissionRequest).owner, nil)
	if p == nil {
		c.post(noPermission(m.BatchID, nil))
		return
	}
	var answers []engine.ApprovalAnswer
	for _, one := range p.pending {
		if slices.Contains(m.DeniedRequests, one.id) || !slices.Contains(m.AutoApproved, one.id) && !slices.Contains(m.ApprovedRequests, one.id) &&
			!grants.Covers(one.needs) {
			answers = append(answers, one.denied(textDenied))
			continue
		}
		answers = append(answers, one.allowed())
		stored = append(stored, one.wanted...)
	}
	c.answer(p.session, noPermission(m.BatchID, nil), stored, answers...)
}

func (c *conn) cancelPermission(id string) {
	p, one := c.requests.takeRequest(id, nil)
	if p == nil {
		c.post(noPermission(id, nil))
		return
	}
	c.answer(p.session, noPermission(id, nil), nil, one.denied(textCancelled))
}

func (c *conn) cancelBatch(id string) {
	p := take(c.requests, c.requests.batched, id, (*permissionRequest).owner, nil)
	if p == nil {
		c.post(noPermission(id, nil))
		return
	}
	var answers []engine.ApprovalAnswer
	for _, one := range p.pending {
		answers = append(answers, one.denied(textCancelled))
	}
	c.answer(p.session, noPermission(id, nil), nil, answers...)
}

// interaction takes the answers to questions. Answers that do not fit end the call too.
func (c *conn) interaction(m UserInteractionResponse) {
	q := take(c.requests, c.requests.questions, m.ToolUseID, (*questionRequest).owner, m.SessionID)
	if q == nil {
		c.post(noInteraction(m.ToolUseID, m.SessionID))
		return
	}
	result, answers, valid := judge(q.questions, m.Response.Answers)
	var err error
	if valid {
		err = q.session.client.AnswerQuestion(q.question, answers)
	} else {
		err = q.session.client.RefuseQuestion(q.question, string(result))
	}
	if err != nil { // an interrupt was first
		q.session.say(noInteraction(m.ToolUseID, m.SessionID))
	}
}

func (c *conn) cancelInteraction(id string) {
	q := take(c.requests, c.requests.questions, id, (*questionRequest).owner, nil)
	if q == nil {
		c.post(noInteraction(id, nil))
		return
	}
	if err := q.session.client.AnswerQuestion(q.question, nil); err != nil {
		q.session.say(noInteraction(id, nil))
	}
}

// sentOf returns the metadata that came with a message, to be kept with it.
func sentOf(m ControllerInput) jsontext.Value {
	if m.Metadata == nil {
		return nil
	}
	return append(append(jsontext.Value("["), m.Metadata...), ']')
}

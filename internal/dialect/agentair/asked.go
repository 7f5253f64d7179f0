package agentair

import (
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file is what the client was asked, and its answers.

// asked is what is pending, by the ids that clients use. It is safe for concurrent use.
type asked struct {
	mu        sync.Mutex
	batches   int
	permits   map[string][]*permit // by call, whose id may be in several sessions
	batched   map[string][]*permit // by batch
	questions map[string][]*inquiry
}

// A permit is a message that asks for permission.
type permit struct {
	session *session
	pending []pending
}

// An inquiry is a message with questions.
type inquiry struct {
	session   *session
	question  event.QuestionID
	questions []Question
}

func newAsked() *asked {
	return &asked{permits: map[string][]*permit{}, batched: map[string][]*permit{}, questions: map[string][]*inquiry{}}
}

func (a *asked) nextBatch() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.batches++
	return fmt.Sprintf("batch-%d", a.batches)
}

func (a *asked) permit(s *session, m asking) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := &permit{s, m.pending}
	if m.batch {
		a.batched[m.id] = append(a.batched[m.id], p)
	} else {
		a.permits[m.id] = append(a.permits[m.id], p)
	}
}

func (a *asked) question(s *session, m questioning) {
	a.mu.Lock()
	defer a.mu.Unlock()
	call := m.message.ToolUseID
	a.questions[call] = append(a.questions[call], &inquiry{s, m.question, m.questions})
}

// settle forgets what was settled without the client: a call, or questions.
func (a *asked) settle(s *session, id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	forget(a.permits, func(p *permit) bool { return p.without(s, id) })
	forget(a.batched, func(p *permit) bool { return p.without(s, id) })
	forget(a.questions, func(q *inquiry) bool { return q.session == s && string(q.question) == id })
}

// forget takes out what is over.
func forget[T any](all map[string][]*T, over func(*T) bool) {
	for id, list := range all {
		if all[id] = slices.DeleteFunc(list, over); len(all[id]) == 0 {
			delete(all, id)
		}
	}
}

// without takes a call of a session out of p, and says whether nothing is left.
func (p *permit) without(s *session, call string) bool {
	if p.session == s {
		p.pending = slices.DeleteFunc(slices.Clone(p.pending), func(one pending) bool { return one.id == call })
	}
	return len(p.pending) == 0
}

// take is what was asked by an id of one of the maps; it is asked no more. An answer that
// names a session is for what that one asked.
func take[T any](a *asked, all map[string][]*T, id string, of func(*T) *session, session *int64) *T {
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

func (p *permit) owner() *session  { return p.session }
func (q *inquiry) owner() *session { return q.session }

// permission takes the answer to one request.
func (c *conn) permission(m PermissionResponse) {
	var grant *approval.Grant
	if g := m.Response.Grant; g != nil && m.Response.Granted {
		converted, err := toGrant(*g, c.cfg.Now())
		if err != nil {
			c.post(Error{Message: "Malformed input: " + err.Error(), SessionID: m.SessionID})
			return
		}
		grant = &converted
	}
	p := take(c.asked, c.asked.permits, m.ToolUseID, (*permit).owner, m.SessionID)
	if p == nil {
		c.post(noPermission(m.ToolUseID, m.SessionID))
		return
	}
	one := p.pending[0]
	if !m.Response.Granted {
		_ = p.session.eng.Answer(one.approval, engine.Decision{Reason: reasonOf(m.Response.Message)}) // settled meanwhile: nothing to do
		return
	}
	_ = p.session.eng.Answer(one.approval, engine.Decision{Allow: true})
	if grant != nil {
		p.session.keep(*grant)
		return
	}
	if m.Response.Scope == ScopeSession {
		p.session.keep(grantsFor(one.asked)...)
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
	var grants approval.Grants
	var stored []approval.Grant
	for _, g := range m.ApprovedGrants {
		converted, err := toGrant(g, c.cfg.Now())
		if err != nil {
			c.post(Error{Message: "Malformed input: " + err.Error()})
			return
		}
		if converted, err = grants.AddGrant(converted); err == nil {
			stored = append(stored, converted)
		}
	}
	p := take(c.asked, c.asked.batched, m.BatchID, (*permit).owner, nil)
	if p == nil {
		c.post(noPermission(m.BatchID, nil))
		return
	}
	var allowed []pending
	for _, one := range p.pending {
		if slices.Contains(m.DeniedRequests, one.id) || !slices.Contains(m.AutoApproved, one.id) && !slices.Contains(m.ApprovedRequests, one.id) &&
			!grants.Covers(one.asked) {
			_ = p.session.eng.Answer(one.approval, engine.Decision{}) // settled meanwhile: nothing to do
			continue
		}
		allowed = append(allowed, one)
	}
	for _, one := range allowed {
		_ = p.session.eng.Answer(one.approval, engine.Decision{Allow: true})
	}
	p.session.keep(stored...)
}

func (c *conn) cancelPermission(id string) {
	p := take(c.asked, c.asked.permits, id, (*permit).owner, nil)
	if p == nil {
		c.post(noPermission(id, nil))
		return
	}
	_ = p.session.eng.Answer(p.pending[0].approval, engine.Decision{Reason: textCancelled})
}

func (c *conn) cancelBatch(id string) {
	p := take(c.asked, c.asked.batched, id, (*permit).owner, nil)
	if p == nil {
		c.post(noPermission(id, nil))
		return
	}
	for _, one := range p.pending {
		_ = p.session.eng.Answer(one.approval, engine.Decision{Reason: textCancelled})
	}
}

// interaction takes the answers to questions. Answers that do not fit end the call too.
func (c *conn) interaction(m UserInteractionResponse) {
	q := take(c.asked, c.asked.questions, m.ToolUseID, (*inquiry).owner, m.SessionID)
	if q == nil {
		c.post(noInteraction(m.ToolUseID, m.SessionID))
		return
	}
	result, answers, valid := judge(q.questions, m.Response.Answers)
	if !valid {
		_ = q.session.eng.RefuseQuestion(q.question, string(result)) // settled meanwhile: nothing to do
		return
	}
	_ = q.session.eng.AnswerQuestion(q.question, answers)
}

func (c *conn) cancelInteraction(id string) {
	q := take(c.asked, c.asked.questions, id, (*inquiry).owner, nil)
	if q == nil {
		c.post(noInteraction(id, nil))
		return
	}
	_ = q.session.eng.AnswerQuestion(q.question, nil)
}

// sentOf is the metadata that came with a message, to be kept with it.
func sentOf(m ControllerInput) jsontext.Value {
	if m.Metadata == nil {
		return nil
	}
	return append(append(jsontext.Value("["), m.Metadata...), ']')
}

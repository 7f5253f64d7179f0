package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// A pendingApproval is one that is not decided yet. Exactly one of an answer, an interrupt, and the
// detaching of the last client decides it.
type pendingApproval struct {
	asked   event.ApprovalAsked
	request approval.Request
	answer  chan answer     // has room for the one there is
	ended   <-chan struct{} // closed when the call has ended; nil: no other call waits for it
	// confined reports that the call runs already, and may leave the sandbox.
	confined bool
	// passedOn reports that a subagent waits for it, and withdraws it itself.
	passedOn bool
}

// A pendingQuestion is one that is not answered yet.
type pendingQuestion struct {
	asked  event.QuestionAsked
	answer chan reply // has room for the one there is
}

// resolveAll denies every pending approval and cancels every pending question, oldest first.
func (s *Session) resolveAll(reason string, by event.Answerer) {
	s.denyAll(reason, by)
	s.cancelQuestions(by)
}

func (s *Session) denyAll(reason string, by event.Answerer) {
	for _, id := range slices.Clone(s.fold.Open.Approvals) {
		if s.clients.approvals[id] != nil {
			s.resolve(id, answer{reason: reason, by: by})
		}
	}
}

func (s *Session) cancelQuestions(by event.Answerer) {
	for _, id := range slices.Clone(s.fold.Open.Questions) {
		if s.clients.questions[id] != nil {
			s.resolveQuestion(id, reply{err: s.declined()}, by)
		}
	}
}

// grant remembers a permission and gives it to whatever waits for the same.
func (s *Session) grant(r approval.Request) {
	s.clients.grants.Add(r)
	s.giveGranted()
}

// giveGranted allows what waits for something that was granted meanwhile, and lifts the refusals of it.
func (s *Session) giveGranted() {
	s.clients.refusals.lift(&s.clients.grants)
	for _, id := range slices.Clone(s.fold.Open.Approvals) {
		if p := s.clients.approvals[id]; p != nil && s.clients.grants.Covers(p.request) {
			s.resolve(id, answer{allowed: true, lifted: true, granted: true, by: event.ByPolicy})
		}
	}
}

// declined returns the error for a tool whose questions have no answer.
func (s *Session) declined() error {
	if words := s.text(TextDeclined); words != "" {
		return errors.New(words)
	}
	return errCancelled
}

// A reply is the answers to questions, or why there are none.
type reply struct {
	answers [][]string
	err     error
	client  event.Client // that answered; zero: none did
}

// resolve closes a pending approval; its waiter receives the answer from the channel.
func (s *Session) resolve(id event.ApprovalID, a answer) {
	e := event.ApprovalAnswered{ID: id, Allowed: a.allowed, Reason: a.reason, By: a.by, Client: a.client}
	s.log.Append(s.fold.State.Turn, e)
	s.clients.answered.add(AnsweredError{ID: string(id), Allowed: a.allowed, By: a.by, Client: a.client})
	s.clients.approvals[id].answer <- a
	delete(s.clients.approvals, id)
	s.endWait(a.by)
}

// endWait sets the status of a turn whose last approval or question was answered: what waited goes on. After an interrupt the
// turn ends instead. The caller holds the session's lock.
func (s *Session) endWait(by event.Answerer) {
	waits := len(s.clients.approvals)+len(s.clients.questions) > 0
	if !waits && by != event.ByInterrupt && s.slot != nil && s.slot.status == event.Waiting {
		s.setStatus(s.fold.State.Turn, event.Working)
	}
}

func (s *Session) resolveQuestion(id event.QuestionID, r reply, by event.Answerer) {
	s.log.Append(s.fold.State.Turn, event.QuestionAnswered{ID: id, Answers: r.answers, By: by, Client: r.client})
	s.clients.answered.add(AnsweredError{ID: string(id), Allowed: r.answers != nil, By: by, Client: r.client})
	s.clients.questions[id].answer <- r
	delete(s.clients.questions, id)
	s.endWait(by)
}

// approve decides whether a call may run, and waits for the user where it has to. There is
// no limit to the wait: a user may take hours. slot is that of the call in its step; nil: the
// call has begun to run.
func (t *turn) approve(ctx context.Context, call event.CallID, prepared tool.Call, req approval.Request, input jsontext.Value, slot *callSlot) answer {
	s := t.s
	settle := t.settler(ctx, call, req, input)
	s.mu.Lock()
	a, reason, settled := settle()
	var files []approval.FileEffect
	if _, changes := prepared.(tool.Previewer); !settled && changes {
		s.mu.Unlock() // it reads files
		files = t.preview(ctx, prepared, req)
		s.mu.Lock()
		a, reason, settled = settle()
	}
	if !settled && t.hooked.get(call) != nil && req.Level != approval.Admin {
		s.mu.Unlock() // hooks run
		answered, decided := t.runPermissionHooks(ctx, call)
		if decided {
			return answered
		}
		s.mu.Lock()
		a, reason, settled = settle()
	}
	if settled {
		s.mu.Unlock()
		return a
	}
	id, wait := t.requestApproval(event.ApprovalAsked{
		Call: call, Mode: s.fold.State.Settings.Mode, Request: req, Input: input, Reason: reason, Files: files,
	})
	if pending := s.clients.approvals[id]; pending != nil && slot != nil {
		pending.ended = slot.over
	}
	s.mu.Unlock()
	if slot != nil {
		slot.show()
	}
	return t.awaitApproval(ctx, id, wait)
}

// unconfine asks the user to let a running call, which the sandbox refused, run outside of it;
// see tool.Hooks.
func (t *turn) unconfine(ctx context.Context, c *pendingCall, reason string) (approval.Sandbox, error) {
	s := t.s
	s.mu.Lock()
	settings := s.fold.State.Settings
	if !s.approvals().Unconfines(settings) || ctx.Err() != nil {
		s.mu.Unlock()
		return approval.Sandbox{}, tool.ErrUnasked
	}
	if err := s.opts.Budget.Err(); err != nil {
		s.mu.Unlock()
		return approval.Sandbox{}, err
	}
	if text, refused := s.clients.refusals.find(refusal{request: c.request, input: c.made.Input, confined: true}); refused {
		s.mu.Unlock()
		return approval.Sandbox{}, errors.New(text)
	}
	if t.hooked.get(c.id) != nil {
		s.mu.Unlock() // hooks run
		if a, decided := t.runPermissionHooks(ctx, c.id); decided && a.allowed {
			return approval.Sandbox{Kind: approval.SandboxNone}, nil
		} else if decided {
			return approval.Sandbox{}, errors.New(a.reason)
		}
		s.mu.Lock()
	}
	id, wait := t.requestApproval(event.ApprovalAsked{Call: c.id, Mode: settings.Mode, Request: c.request, Input: c.made.Input, Reason: reason})
	if pending := s.clients.approvals[id]; pending != nil {
		pending.confined = true
	}
	s.mu.Unlock()
	if a := t.awaitApproval(ctx, id, wait); !a.allowed {
		return approval.Sandbox{}, errors.New(a.reason)
	}
	return approval.Sandbox{Kind: approval.SandboxNone}, nil
}

// settler returns settle for a call, with what has to be found out before. The caller does not hold the session's lock; that of what is
// returned does.
func (t *turn) settler(ctx context.Context, call event.CallID, req approval.Request, input jsontext.Value) func() (a answer, reason string, settled bool) {
	s := t.s
	confines := req.Command != "" && t.env.Confines() // it may have to be tried out: not under the lock
	looks := t.env.TrustsCommand(req.Command)
	always := s.host.granted(t.env.Workspace.Dir()) // it may have to be read
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients.grants.UseAlways(always)
	s.clients.refusals.lift(&s.clients.grants)
	return func() (answer, string, bool) { return t.settle(ctx, call, req, input, confines, looks) }
}

// refuses reports whether a call may not run, and no user has to decide about that.
func (t *turn) refuses(ctx context.Context, call event.CallID, req approval.Request, input jsontext.Value) bool {
	settle := t.settler(ctx, call, req, input)
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	a, _, settled := settle()
	return settled && !a.allowed
}

// settle returns the answer for a call that no user has to decide about; if settled is false,
// reason is why one has to. Looks: the command of the call is trusted. The caller holds the session's lock.
func (t *turn) settle(ctx context.Context, call event.CallID, req approval.Request, input jsontext.Value, confines, looks bool) (a answer, reason string, settled bool) {
	s := t.s
	if ctx.Err() != nil {
		return s.withdrawal(ctx), "", true
	}
	if err := s.opts.Budget.Err(); err != nil {
		return answer{reason: notRun(err).Error(), by: event.ByPolicy}, "", true
	}
	if text, refused := s.clients.refusals.find(refusal{request: req, input: input}); refused {
		return answer{reason: text, by: event.ByPolicy}, "", true
	}
	d := t.decide(req, confines, looks)
	if req.Level != approval.Admin { // only the user decides about that
		d = t.permitted(call, d)
	}
	a = answer{allowed: d.Verdict == approval.Allow, lifted: d.Lifted, granted: d.Granted, reason: d.Reason, by: event.ByPolicy}
	return a, d.Reason, d.Verdict != approval.Ask
}

// preview returns what a call would do to files. What is hidden is not read before the call is
// approved. Where proposed changes are recorded, the diffs are there already.
func (t *turn) preview(ctx context.Context, call tool.Call, req approval.Request) []approval.FileEffect {
	previewer, ok := call.(tool.Previewer)
	if !ok || t.hides(req) {
		return nil
	}
	files := previewer.Preview(ctx, t.s.clientFiles())
	if t.s.opts.Preview {
		for i := range files {
			files[i].Diff = ""
		}
	}
	return files
}

// requestApproval opens an approval; where no client is attached it is denied at once. The caller holds
// the session's lock.
func (t *turn) requestApproval(e event.ApprovalAsked) (event.ApprovalID, <-chan answer) {
	s := t.s
	e.ID = event.ApprovalID(fmt.Sprintf("a-%d", s.fold.Requested+1))
	wait := make(chan answer, 1)
	e.Unattended = !s.attended()
	s.clients.approvals[e.ID] = &pendingApproval{asked: e, request: e.Request, answer: wait}
	s.log.Append(t.id, e)
	if e.Unattended {
		s.resolve(e.ID, answer{reason: s.absence(), by: event.ByAbsence})
	} else {
		s.awaitAnswer(t.id)
	}
	return e.ID, wait
}

// awaitApproval returns the answer to an approval; the end of ctx withdraws it.
func (t *turn) awaitApproval(ctx context.Context, id event.ApprovalID, wait <-chan answer) answer {
	select {
	case a := <-wait:
		return a
	case <-ctx.Done():
	}
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients.approvals[id] != nil {
		s.resolve(id, s.withdrawal(ctx))
	}
	return <-wait
}

// withdrawal returns the answer for a call whose ctx has ended before it ran: the budget may have ended it.
func (s *Session) withdrawal(ctx context.Context) answer {
	if err := context.Cause(ctx); errors.Is(err, ErrBudget) {
		return answer{reason: notRun(err).Error(), by: event.ByPolicy}
	}
	return answer{reason: s.text(TextInterrupted), by: event.ByInterrupt}
}

// decide returns what settles a call without a user, if anything does.
func (t *turn) decide(req approval.Request, confines, looks bool) approval.Decision {
	s := t.s
	settings := s.fold.State.Settings
	settings.Sandbox = s.withRoots(settings.Sandbox)
	if t.tuning.ReadOnly && changes(req, looks) {
		return approval.Decision{Verdict: approval.Deny, Reason: "this turn may only look: nothing may be changed"}
	}
	if s.opts.inner && req.Tool == s.tools.shown(submitTool) {
		return approval.Decision{Verdict: approval.Allow} // it only ends what was allowed to begin
	}
	return s.approvals().Decide(Proposed{
		Request: req, Settings: settings, Grants: &s.clients.grants, Dir: t.env.Workspace.Dir(), Home: t.env.Workspace.Home(),
		Shell: s.tools.shown(shellTool), Confined: confines, Trusted: looks,
	})
}

// question asks the user something and waits for the answers.
func (t *turn) question(ctx context.Context, call event.CallID, questions []event.Question) ([][]string, error) {
	s := t.s
	if !s.allowsQuestions() {
		return nil, tool.ErrUnattended
	}
	s.mu.Lock()
	if len(questions) > 0 && questions[0].Elicitation != nil && !s.asksForServers() {
		s.mu.Unlock()
		return nil, tool.ErrUnattended
	}
	id := event.QuestionID(fmt.Sprintf("q-%d", s.fold.Requested+1))
	wait := make(chan reply, 1)
	asked := event.QuestionAsked{ID: id, Call: call, Questions: questions}
	s.clients.questions[id] = &pendingQuestion{asked, wait}
	s.log.Append(t.id, asked)
	switch {
	case s.timeUp():
		s.resolveQuestion(id, reply{err: s.declined()}, event.ByPolicy)
	case !s.attendedQuestions():
		err := errNoClient
		if s.text(TextDeclined) != "" {
			err = s.declined()
		}
		s.resolveQuestion(id, reply{err: unattendedError{err}}, event.ByAbsence)
	default:
		s.awaitAnswer(t.id)
	}
	s.mu.Unlock()
	var r reply
	select {
	case r = <-wait:
	case <-ctx.Done():
		s.mu.Lock()
		if s.clients.questions[id] != nil {
			s.resolveQuestion(id, reply{err: s.declined()}, event.ByInterrupt)
		}
		s.mu.Unlock()
		r = <-wait
	}
	return r.answers, r.err
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// A Client works with a session: what it does is recorded under its name. Its methods are safe for
// concurrent use and return soon. A session may have several clients; the first answer counts.
type Client struct {
	session *Session
	who     event.Client
	role    string
	driver  bool
	keeps   bool          // the lease
	limit   time.Duration // ClientInfo.AckLimit

	audit   func(Answered)   // of [Access]; nil: none
	answers bool             // it can answer; the session's lock guards it
	lacks   lacking          // what it cannot answer
	left    bool             // Leave was called; so here
	group   *attachedClients // of its connection; nil: none

	// attached ends when the client detaches; nil: tools use neither its files nor its terminals. The lock guards both; what
	// uses attached comes after it was set.
	attached    context.Context
	endAttached context.CancelFunc
}

// A ClientInfo is what others see of a client.
type ClientInfo struct {
	Name string // "": nothing is recorded about the client, and the others are not notified of it
	Role string // what it may do, as its protocol says
	// Driver reports that it may give the session prompts. When one comes, the prompts begin that were accepted by a process
	// which has ended, or was killed, while they waited.
	Driver bool
	// KeepLease keeps the lease of an idle session, so that followers see everything, until another
	// process requests it. Then followers get event.HandedOver.
	KeepLease bool
	// NoApprovals and NoQuestions are of a client whose protocol has no message for approvals, or for questions. One for which there is
	// no other client is denied at once.
	NoApprovals, NoQuestions bool
	// RunFollowUps reports that its follow-ups do not wait in an idle session: one that a turn has ended without, since that failed, was
	// interrupted or was over, begins the next turn, also in a session where those of other clients wait for the next prompt.
	RunFollowUps bool
	// AckLimit is how long its prompts wait for the acknowledgement of a deferred store; 0: as long as their context.
	AckLimit time.Duration
}

// Join adds a client that cannot answer approvals and questions.
func (s *Session) Join(info ClientInfo) *Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.join(info)
	s.beginInherited()
	return c
}

// Attach adds a client that can answer approvals and questions, unless info says otherwise. Until there is one, whatever is
// asked is denied at once, unless Sharing says otherwise.
func (s *Session) Attach(info ClientInfo) *Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.join(info)
	c.answers, c.lacks = true, lacking{info.NoApprovals, info.NoQuestions}
	s.clients.count(c.lacks, 1)
	if !s.unattended() {
		s.clients.stopAbsence()
	}
	s.beginInherited()
	return c
}

func (s *Session) join(info ClientInfo) *Client {
	c := &Client{session: s, role: info.Role, driver: info.Driver, keeps: info.KeepLease, limit: info.AckLimit}
	if c.keeps {
		s.clients.keepLease++
	}
	if info.Name != "" {
		s.clients.last = max(s.clients.last, s.fold.State.Clients) + 1
		c.who = event.Client{N: s.clients.last, Name: info.Name}
		if info.RunFollowUps {
			if s.clients.runFollowUps == nil {
				s.clients.runFollowUps = map[int]bool{}
			}
			s.clients.runFollowUps[c.who.N] = true
		}
		s.log.Show("", event.ClientJoined{Client: c.who, Role: c.role})
	}
	if c.driver && s.checkPrompter(c) == nil {
		s.clients.drivers++
	}
	return c
}

// Info returns what records of the session contain about the client.
func (c *Client) Info() event.Client { return c.who }

// Detach ends that the client can answer; it can still do all else. Without another client that can answer,
// everything pending is denied, unless Sharing says that sessions wait for clients. A second call does nothing.
func (c *Client) Detach() {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	c.detach()
	s.checkAbsence()
}

// Drain is Session.Wait for a client that has no more input: it also returns when something waits for an answer, which has to come from
// another client, perhaps one that is not there yet.
func (c *Client) Drain(ctx context.Context) error {
	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := c.session
	s.mu.Lock()
	if len(s.clients.approvals)+len(s.clients.questions) > 0 {
		cancel(errAsked)
	}
	s.clients.draining[c] = func() { cancel(errAsked) }
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.clients.draining, c)
	}()
	err := s.Wait(working)
	if err == errAsked {
		return s.log.AwaitStored(ctx) // the client is sent what is asked
	}
	return err
}

// errAsked is the end of a Drain.
var errAsked = errors.New("the session waits for an answer")

// Leave removes the client. It is Detach, and the client is not among those of the session any more.
func (c *Client) Leave() {
	s := c.session
	s.mu.Lock()
	defer s.unlock()
	if c.left {
		return
	}
	c.left = true
	if c.group != nil {
		c.group.remove(c)
	}
	if c.keeps {
		s.clients.keepLease--
	}
	if c.driver && s.checkPrompter(c) == nil {
		s.clients.drivers--
	}
	c.detach()
	s.checkAbsence()
	if c.who.N != 0 {
		s.log.Show("", event.ClientLeft{Client: c.who, Role: c.role})
	}
}

// Interrupt ends what the session is busy with; a no-op when idle. What waits for the user is
// withdrawn when it returns; the end is TurnEnded.
func (c *Client) Interrupt() {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupt(c.who)
}

// InterruptPrompt is Interrupt for the turn that a prompt has begun: nothing else is interrupted. It reports whether that
// turn runs.
func (c *Client) InterruptPrompt(id event.PromptID) bool {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	runs := s.slot != nil && s.slot.turn != "" && s.slot.prompt == id
	if runs {
		s.interrupt(c.who)
	}
	return runs
}

// detach ends that the client can answer.
func (c *Client) detach() {
	if c.answers {
		c.answers = false
		c.removeIO()
		c.session.clients.count(c.lacks, -1)
	}
}

// A Decision answers an approval.
type Decision struct {
	Allow     bool
	Remember  bool   // the same is not asked again while the session is open: it is allowed, or denied
	Broken    bool   // of a denial: the answer made no sense, and the call fails
	Interrupt bool   // in place of all others: the turn is interrupted, which withdraws the approval
	Reason    string // of a denial, for the model; "": TextDenied

	granted bool // of a subagent's call: a grant of the session that started it covers it
}

// Answer decides a pending approval. ErrNoApproval if none of that id is pending; an *AnsweredError says
// who has answered it.
func (c *Client) Answer(id event.ApprovalID, d Decision) error {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	pending := s.clients.approvals[id]
	if pending == nil || !c.answers {
		return s.noApproval(id)
	}
	if d.Interrupt {
		s.interrupt(c.who)
		return nil
	}
	s.resolve(id, s.answerOf(d, c.who))
	c.answered(string(id), d.Allow)
	switch {
	case !d.Remember:
	case d.Allow:
		s.grant(pending.request)
	case !d.Broken:
		s.refuse(pending, d.Reason)
	}
	return nil
}

// An ApprovalAnswer is the decision about one pending approval.
type ApprovalAnswer struct {
	ID       event.ApprovalID
	Decision Decision
}

// AnswerAll decides approvals that were requested together, and stores grants for the
// session, in one step: no call is decided between the answers and the grants. Calls that
// are denied end in the order of answers, and before the allowed ones run.
//
// Approvals that are not pending any more are skipped. If none is pending, AnswerAll returns
// ErrNoApproval and stores no grant.
func (c *Client) AnswerAll(answers []ApprovalAnswer, grants ...approval.Grant) error {
	for _, g := range grants {
		if err := g.Validate(); err != nil {
			return err
		}
	}
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	var denied, allowed []ApprovalAnswer
	refused := map[*pendingApproval]string{}
	for _, a := range answers {
		switch {
		case s.clients.approvals[a.ID] == nil || !c.answers:
		case a.Decision.Allow:
			allowed = append(allowed, a)
		case a.Decision.Remember && !a.Decision.Broken:
			refused[s.clients.approvals[a.ID]] = a.Decision.Reason
			fallthrough
		default:
			denied = append(denied, a)
		}
	}
	if len(denied)+len(allowed) == 0 {
		return fmt.Errorf("%w: the requests were answered or withdrawn", ErrNoApproval)
	}
	for _, g := range grants {
		if _, err := s.clients.grants.AddGrant(g); err != nil {
			return err
		}
	}
	all := append(denied, allowed...)
	s.resolveTogether(all, c.who)
	for pending, reason := range refused {
		s.refuse(pending, reason)
	}
	for _, a := range all {
		c.answered(string(a.ID), a.Decision.Allow)
	}
	s.giveGranted()
	return nil
}

// AnswerForTurn allows a pending approval, and stores a grant until the turn ends, in one step. ErrNoApproval, *AnsweredError.
func (c *Client) AnswerForTurn(id event.ApprovalID, g approval.Grant) error {
	if err := g.Validate(); err != nil {
		return err
	}
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients.approvals[id] == nil || !c.answers {
		return s.noApproval(id)
	}
	s.resolve(id, s.answerOf(Decision{Allow: true}, c.who))
	c.answered(string(id), true)
	if _, err := s.clients.grants.AddForTurn(g); err != nil {
		return err
	}
	s.giveGranted()
	return nil
}

// Grant stores a grant for the session, and allows the pending approvals that it covers. What was denied for the session
// and is covered may be asked again.
func (c *Client) Grant(g approval.Grant) error {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.clients.grants.AddGrant(g); err != nil {
		return err
	}
	s.giveGranted()
	return nil
}

// AnswerQuestion answers pending questions with one list for each; nil cancels them.
// ErrNoQuestion if none of that id are pending; an *AnsweredError says who has answered them.
func (c *Client) AnswerQuestion(id event.QuestionID, answers [][]string) error {
	r := reply{answers: answers}
	if answers == nil {
		r.err = c.session.declined()
	}
	return c.reply(id, r, event.ByClient)
}

// RefuseQuestion ends pending questions whose answers cannot be used; text is for the model.
// ErrNoQuestion if none of that id are pending.
func (c *Client) RefuseQuestion(id event.QuestionID, text string) error {
	return c.reply(id, reply{err: errors.New(text)}, event.ByFault)
}

func (c *Client) reply(id event.QuestionID, r reply, by event.Answerer) error {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients.questions[id] == nil || !c.answers {
		return s.noQuestion(id)
	}
	r.client = c.who
	s.resolveQuestion(id, r, by)
	c.answered(string(id), r.err == nil)
	return nil
}

// answered reports an answer of the client as [Access.Audit] wants it.
func (c *Client) answered(id string, allowed bool) {
	if c.audit != nil {
		c.audit(Answered{Session: c.session.id, Client: c.who, ID: id, Allowed: allowed})
	}
}

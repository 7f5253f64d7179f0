package console

import (
	"context"
	"errors"
	"iter"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// A Turn shows a turn of a session until its end, and requests the approvals and answers that it
// needs.
type Turn struct {
	Session *engine.Session
	View    *View
	Console *Console       // nil: no user can be asked
	Client  *engine.Client // of Session; it can answer if there is a Console
	// Record, if not nil, is called with each record before it is shown.
	Record func(event.Record) error

	pending []event.Record // arrived while a question is open
	asked   *question
}

// A question is the open question.
type question struct {
	approval event.ApprovalID
	question event.QuestionID
	withdraw context.CancelFunc
	done     chan error // its answer was given to the session, or it was withdrawn
}

// Run sends a prompt to the idle session, and shows what happens up to the end of the turn, which
// it returns. Questions end with ctx; when it ends during the turn, the caller has to interrupt the turn.
func (t *Turn) Run(ctx context.Context, prompt engine.Prompt) (event.TurnEnded, error) {
	release, err := t.Session.Lease() // so that no other process' turn is among what follows
	if err != nil {
		return event.TurnEnded{}, err
	}
	defer release()
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	arrived, failed := make(chan event.Record), make(chan error, 1)
	records := t.Session.Log().Follow(following, t.Session.State().Head+1, Transient...)
	go func() {
		defer close(arrived)
		failed <- forward(following, records, arrived)
	}()
	defer func() {
		stop()
		if t.asked != nil {
			t.asked.withdraw()
			<-t.asked.done //nolint:errcheck // the turn has ended, and its question with it
		}
		for range arrived { // until the goroutine has ended
		}
	}()
	if _, err := t.Client.Prompt(following, prompt); err != nil {
		return event.TurnEnded{}, err
	}
	if ctx.Err() != nil { // before there was a turn to interrupt
		t.Client.Interrupt()
	}
	for {
		if err := t.await(arrived, failed); err != nil {
			return event.TurnEnded{}, err
		}
		if end, err := t.show(ctx); err != nil {
			return event.TurnEnded{}, err
		} else if end != nil {
			return *end, nil
		}
	}
}

// forward sends records until they end, or ctx does.
func forward(ctx context.Context, records iter.Seq2[event.Record, error], to chan<- event.Record) error {
	for rec, err := range records {
		if err != nil {
			return err
		}
		select {
		case to <- rec:
		case <-ctx.Done():
			return nil
		}
	}
	return errors.New("the session ended before the turn did")
}

// await waits for a record, or for the end of the open question.
func (t *Turn) await(arrived <-chan event.Record, failed <-chan error) error {
	var answered chan error
	if t.asked != nil {
		answered = t.asked.done
	}
	select {
	case err := <-answered:
		t.asked.withdraw()
		t.asked = nil
		return err
	case rec, open := <-arrived:
		if !open {
			return <-failed
		}
		t.pending = append(t.pending, rec)
		if t.asked != nil && t.asked.resolvedBy(rec.Event) {
			t.asked.withdraw()
		}
	}
	return nil
}

// show shows what has arrived, up to the next question.
func (t *Turn) show(ctx context.Context) (*event.TurnEnded, error) {
	for t.asked == nil && len(t.pending) > 0 {
		rec := t.pending[0]
		t.pending = t.pending[1:]
		if t.Record != nil {
			if err := t.Record(rec); err != nil {
				return nil, err
			}
		}
		if err := t.View.Show(rec.Event); err != nil {
			return nil, err
		}
		switch e := rec.Event.(type) {
		case event.ApprovalAsked:
			t.ask(ctx, &question{approval: e.ID}, func(ctx context.Context) error { return t.approve(ctx, e) })
		case event.QuestionAsked:
			t.ask(ctx, &question{question: e.ID}, func(ctx context.Context) error { return t.choose(ctx, e) })
		case event.TurnEnded:
			return &e, nil
		}
	}
	return nil, nil
}

// ask begins to ask the user, unless the question is no longer open. answer gives the answer to
// the session.
func (t *Turn) ask(ctx context.Context, q *question, answer func(context.Context) error) {
	if t.Console == nil || ctx.Err() != nil {
		return
	}
	for _, rec := range t.pending {
		if q.resolvedBy(rec.Event) {
			return
		}
	}
	ctx, q.withdraw = context.WithCancel(ctx)
	q.done = make(chan error, 1)
	t.asked = q
	t.View.screen.Status("")
	go func() { q.done <- answer(ctx) }()
}

// resolvedBy reports whether e is the end of the question, by an answer or without one.
func (q *question) resolvedBy(e event.Event) bool {
	switch e := e.(type) {
	case event.ApprovalAnswered:
		return e.ID == q.approval
	case event.QuestionAnswered:
		return e.ID == q.question
	case event.TurnEnded:
		return true
	}
	return false
}

// approve requests approval of a call.
func (t *Turn) approve(ctx context.Context, e event.ApprovalAsked) error {
	s := t.Session
	allowed, offered := scopeOf(e.Request, s.State().Workspace)
	a := Approval{
		Tool: e.Request.Tool, Input: e.Input, Command: e.Request.Command, Dir: e.Request.Dir,
		Details: e.Request.Details(e.Reason, nil), Files: e.Files, Session: allowed.text,
	}
	if !offered {
		a.Session = ""
	}
	d, err := t.Console.Approve(ctx, a)
	if err != nil {
		return nil // withdrawn
	}
	if d.Session && !allowed.exactly {
		if err := t.Client.Grant(allowed.grant); err != nil {
			return err
		}
	}
	err = t.Client.Answer(e.ID, engine.Decision{Allow: d.Allow, Remember: d.Session && allowed.exactly, Reason: d.Reason})
	if errors.Is(err, engine.ErrNoApproval) {
		return nil // the grant allowed it, or it was withdrawn meanwhile
	}
	return err
}

// choose asks the user the questions of a model.
func (t *Turn) choose(ctx context.Context, e event.QuestionAsked) error {
	answers, err := t.Console.Choose(ctx, e.Questions)
	if ctx.Err() != nil {
		return nil // withdrawn
	}
	if err != nil {
		answers = nil
	}
	err = t.Client.AnswerQuestion(e.ID, answers)
	if errors.Is(err, engine.ErrNoQuestion) {
		return nil
	}
	return err
}

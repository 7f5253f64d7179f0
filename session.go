package parley

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/record"
)

// A Session is an open session. Its methods are safe for concurrent use, and but for Run, Compact, Wait and
// Close they do not wait for models and tools. They have a context, and errors where none can happen yet, as those of the Session of package client have.
type Session struct {
	host   *Host
	eng    *engine.Session
	client *engine.Client

	answering sync.WaitGroup // the goroutine of answerAll
	closing   sync.Once
	closeErr  error
}

// newSession returns the session of an open session of the engine.
func newSession(h *Host, eng *engine.Session) (*Session, error) {
	s := &Session{host: h, eng: eng}
	info := engine.ClientInfo{Name: h.o.Name, Driver: true}
	if h.o.answers() {
		s.client = eng.Attach(info)
	} else {
		s.client = eng.Join(info)
	}
	if err := s.client.UseTools(s.tools(h.o.Tools)); err != nil {
		s.client.Leave()
		return nil, fmt.Errorf("Options.Tools: %w", public(err))
	}
	if h.o.Approve != nil || h.o.Answer != nil {
		records := eng.Log().Follow(context.Background(), eng.State().Head+1)
		s.answering.Go(func() { s.answerAll(records) })
	}
	return s, nil
}

// ID returns the name of the session in the state folder.
func (s *Session) ID() string { return string(s.eng.ID()) }

// A Prompt is what the user says. Text or Images are required.
type Prompt struct {
	// ID is the caller's own name of the prompt, unique in the session: a repeat returns the turn of the first one and does
	// nothing, also in a later process. "": one is made up.
	ID     string
	Text   string
	Images []record.Image // with MIME and Data
	// IfBusy is how the prompt is handled while a turn runs. "": ErrBusy.
	IfBusy IfBusy
	// Instructions are for the turn only, after the system prompt; "": none.
	Instructions string
	Thinking     string // a level of reasoning for the turn; "": Settings.Thinking
}

// An IfBusy is how a prompt is handled while a turn runs.
type IfBusy string

// The values of IfBusy; "": the prompt is refused with ErrBusy.
const (
	Steer IfBusy = "steer" // it becomes part of the running turn
	Queue IfBusy = "queue" // it waits, and has a turn of its own
)

// imageTypes are the types of images that models take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// internal returns the prompt as the engine has it.
func (p Prompt) internal() (engine.Prompt, error) {
	busy, known := map[IfBusy]engine.SecondPrompt{"": engine.RefuseSecond, Steer: engine.SteerSecond, Queue: engine.QueueSecond}[p.IfBusy]
	if !known {
		return engine.Prompt{}, fmt.Errorf("Prompt.IfBusy %q is neither %s nor %s", p.IfBusy, Steer, Queue)
	}
	prompt := engine.Prompt{
		ID: event.PromptID(p.ID), Text: p.Text, IfBusy: &busy, Tuning: engine.Tuning{Instructions: p.Instructions, Thinking: model.Thinking(p.Thinking)},
	}
	for i, img := range p.Images {
		switch {
		case !slices.Contains(imageTypes, img.MIME):
			return prompt, fmt.Errorf("Prompt.Images[%d].MIME %q is none of image/png, image/jpeg, image/gif and image/webp", i, img.MIME)
		case len(img.Data) == 0:
			return prompt, fmt.Errorf("Prompt.Images[%d].Data is empty", i)
		}
		prompt.Images = append(prompt.Images, model.Image{MIME: img.MIME, Data: img.Data, Name: img.Name})
	}
	return prompt, nil
}

// Prompt begins a turn and returns its id, once the prompt is on disk; "": the prompt waits for the end of the running turn.
// A prompt that steers returns the running turn. ErrBusy, ErrEmptyPrompt, ErrInUse, ErrBudget, ErrUnsaved, ErrSubagent, ErrBatch,
// ErrClosed.
func (s *Session) Prompt(ctx context.Context, p Prompt) (turn string, err error) {
	prompt, err := p.internal()
	if err != nil {
		return "", err
	}
	accepted, err := s.client.Submit(ctx, prompt)
	return string(accepted.Turn), public(err)
}

// Steer adds to the running turn: the model reads it with its next request. Prompt.IfBusy is not used. ErrIdle, and the errors
// of Prompt.
func (s *Session) Steer(ctx context.Context, p Prompt) error {
	return s.add(ctx, p, s.client.Steer)
}

// FollowUp adds a prompt that has a turn of its own after the running one. Prompt.IfBusy is not used. ErrIdle, and the errors
// of Prompt.
func (s *Session) FollowUp(ctx context.Context, p Prompt) error {
	return s.add(ctx, p, s.client.FollowUp)
}

func (s *Session) add(ctx context.Context, p Prompt, verb func(context.Context, engine.Prompt) error) error {
	p.IfBusy = ""
	prompt, err := p.internal()
	if err != nil {
		return err
	}
	prompt.WhileBusy = true
	return public(verb(ctx, prompt))
}

// Interrupt ends a turn, whichever runs if turn is "". False: it did not run. What it leaves is recorded; TurnEnded is its end.
func (s *Session) Interrupt(_ context.Context, turn string) (interrupted bool, err error) {
	st := s.eng.State()
	if !st.Busy || turn != "" && turn != string(st.Turn) {
		return false, nil
	}
	s.client.Interrupt()
	return true, nil
}

// Approve allows the call of a [record.ApprovalAsked]. ErrNotPending; its text names who has answered.
func (s *Session) Approve(_ context.Context, approval string) error {
	return s.decide(approval, Decision{Allow: true})
}

// ApproveAll is Approve, and allows the same for as long as the session is open.
func (s *Session) ApproveAll(_ context.Context, approval string) error {
	return s.decide(approval, Decision{Allow: true, Always: true})
}

// Deny denies the call of a [record.ApprovalAsked]; reason is for the model, and may be "". ErrNotPending, as of Approve.
func (s *Session) Deny(_ context.Context, approval, reason string) error {
	return s.decide(approval, Decision{Reason: reason})
}

func (s *Session) decide(approval string, d Decision) error {
	return public(s.client.Answer(event.ApprovalID(approval), engine.Decision{Allow: d.Allow, Remember: d.Always, Reason: d.Reason}))
}

// Answer answers a [record.QuestionAsked], with the chosen labels or one text for each question; nil declines. ErrNotPending.
func (s *Session) Answer(_ context.Context, question string, answers [][]string) error {
	return public(s.client.AnswerQuestion(event.QuestionID(question), answers))
}

// State returns what the session is now: its settings, its head, what runs and what waits.
func (s *Session) State(context.Context) (record.State, error) {
	st := s.eng.State()
	approvals, questions := s.eng.Waiting()
	return record.State{
		Session: s.ID(), Workspace: st.Workspace, Settings: convert[record.Settings](st.Settings), Head: st.Head, Changed: st.Changed,
		Turn: string(st.Turn), Status: string(st.Status), Busy: st.Busy, Turns: st.Turns, Messages: st.Messages,
		Usage: convert[record.Usage](st.Usage), Cost: st.Cost, Context: st.Context, Plan: convert[[]record.PlanItem](st.Plan),
		Steering: convert[[]record.Queued](st.Steering), FollowUps: convert[[]record.Queued](st.FollowUps),
		Approvals: convert[[]record.ApprovalAsked](approvals), Questions: convert[[]record.QuestionAsked](questions),
	}, nil
}

// Change changes the settings: edit is called once with those that hold, and what it has changed holds from the next model call
// on. ErrNoModel, ErrInUse, ErrClosed.
func (s *Session) Change(_ context.Context, edit func(*record.Settings)) error {
	before := convert[record.Settings](s.eng.State().Settings)
	next := before
	edit(&next)
	if err := s.host.checkSettings(before, next); err != nil {
		return err
	}
	if next.Dir != "" && !filepath.IsAbs(next.Dir) {
		return errors.New("Settings.Dir must be absolute")
	}
	return public(s.client.Change(func(now *event.Settings) { merge(now, before, next) }))
}

// merge sets what differs between two settings.
func merge(now *event.Settings, before, next record.Settings) {
	old, changed := internalSettings(before), internalSettings(next)
	set(&now.Name, old.Name, changed.Name)
	set(&now.Model, old.Model, changed.Model)
	set(&now.Thinking, old.Thinking, changed.Thinking)
	set(&now.Mode, old.Mode, changed.Mode)
	set(&now.Dir, old.Dir, changed.Dir)
	set(&now.Archived, old.Archived, changed.Archived)
	set(&now.SystemPrompt, old.SystemPrompt, changed.SystemPrompt)
	set(&now.Instructions, old.Instructions, changed.Instructions)
}

func set[T comparable](now *T, before, next T) {
	if next != before {
		*now = next
	}
}

// Compact replaces older history by a summary, for which the model is called, and waits for it; a [record.Compacted] is in the
// records. guidance is for the model, and may be "". If ctx ends, nothing is replaced, and the error is its cause. ErrBusy,
// ErrNothingToCompact, ErrNoModel, ErrBudget, ErrClosed.
func (s *Session) Compact(ctx context.Context, guidance string) error {
	wait, err := s.eng.Compact(ctx, guidance)
	if err != nil {
		return public(err)
	}
	if _, err = wait(); err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return public(err)
}

// Blob returns large output or an image by the address that a record has.
func (s *Session) Blob(_ context.Context, address string) ([]byte, error) {
	data, err := s.eng.Log().Blob(address)
	return data, public(err)
}

// Wait waits until nothing runs in the session. The error is the cause of ctx.
func (s *Session) Wait(ctx context.Context) error { return s.eng.Wait(ctx) }

// Close interrupts what runs, waits for its end and for calls of Options.Approve and Options.Answer, and closes the session.
// Loops over Follow yield the rest, and end. The error is that of the disk, or the cause of ctx if the turn does not end before
// it. A second Close does nothing and returns the same.
func (s *Session) Close(ctx context.Context) error {
	s.closing.Do(func() {
		s.client.Interrupt()
		s.client.Leave()
		s.closeErr = closedError(s.eng.ID(), public(s.eng.Close(ctx)))
		s.answering.Wait()
		s.host.forget(s)
	})
	return s.closeErr
}

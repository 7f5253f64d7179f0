package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A Prompt is what a user says.
type Prompt struct {
	ID     event.PromptID // the client's own; a repeat of it is harmless. "": made up
	Text   string
	Blocks []model.Block  // after Text: text and images, in order; images with Data
	Images []model.Image  // after Blocks, with Data
	Sent   jsontext.Value // see event.UserMessage
	Notes  []event.Note   // come after it, wherever it goes
	// Turn is the id of the turn that it starts; "": made up.
	Turn   event.TurnID
	Tuning Tuning // of the turn that it starts at once; a prompt that waits in a queue keeps only its Instructions
	// Failure, if set, says why the prompt cannot be processed. Its turn fails with it: the model
	// is not called, and the prompt does not stay in the history.
	Failure *event.Failure
	// Ahead has the verb return before a deferred store has acknowledged the prompt: the caller must call
	// Session.AwaitStored before the client learns that it was accepted.
	Ahead bool
	// IfBusy, if set, asks for less than Options.SecondPrompt; more is not done.
	IfBusy *SecondPrompt
	// Blank lets the prompt have no text but white space, where a protocol takes such prompts.
	Blank bool
	// WhileBusy refuses a steer or follow-up unless a turn runs (ErrIdle).
	WhileBusy bool
}

// most returns the most that may become of the prompt while a turn runs.
func (p Prompt) most() SecondPrompt {
	if p.IfBusy == nil {
		return SteerSecond
	}
	return *p.IfBusy
}

func (p Prompt) blocks() []model.Block {
	var blocks []model.Block
	if p.Text != "" {
		blocks = append(blocks, model.TextBlock(p.Text))
	}
	blocks = append(blocks, p.Blocks...)
	for _, img := range p.Images {
		blocks = append(blocks, model.Block{Kind: model.KindImage, Image: &img})
	}
	return blocks
}

// An Accepted reports how a prompt was accepted.
type Accepted struct {
	Turn event.TurnID // the turn that it is part of; "": it waits for one, or was removed from the queue
	Via  event.Via    // how it was accepted
	// Repeated reports that a prompt of that id was accepted before, as the other fields say; nothing was done.
	Repeated bool
}

// Submit starts a turn and returns once it is accepted and on disk. While a turn runs,
// Options.SecondPrompt and Prompt.IfBusy decide: the turn of a steer is the running one, that of a
// follow-up is "". A prompt whose ID was accepted before returns how it was accepted and does nothing.
// ErrTurnActive, ErrNotSteerable, ErrEmptyPrompt, ErrBudget, ErrNoFolder, ErrUnsaved, ErrClosed, ErrSubagent, ErrBatch.
//
// In a deferred store it waits for the acknowledgement until ctx ends, or ClientInfo.AckLimit has passed: then the error is
// ErrOutcomeUnknown.
func (c *Client) Submit(ctx context.Context, p Prompt) (Accepted, error) {
	s := c.session
	as, err := s.accept(s.withSkills(p), c)
	if err == nil {
		err = c.awaitPrompt(ctx, p)
	}
	return as, err
}

// awaitPrompt waits until a prompt that was accepted is on disk.
func (c *Client) awaitPrompt(ctx context.Context, p Prompt) error {
	if p.Ahead && c.session.log.Deferred() {
		return nil
	}
	if c.limit > 0 {
		limited, cancel := context.WithTimeout(ctx, c.limit)
		defer cancel()
		ctx = limited
	}
	return c.session.awaitSaved(ctx)
}

// Prompt is Submit for clients that follow the records of queued prompts: of those the turn is "".
func (c *Client) Prompt(ctx context.Context, p Prompt) (event.TurnID, error) {
	as, err := c.Submit(ctx, p)
	if as.Via == event.BySteer && (p.ID == "" || !c.session.delivered(p.ID)) {
		as.Turn = ""
	}
	return as.Turn, err
}

// accept is Submit, ahead of the disk.
func (s *Session) accept(p Prompt, c *Client) (Accepted, error) {
	if err := s.lockToWrite(); err != nil {
		return Accepted{}, err
	}
	defer s.unlock()
	q, before, err := s.admitSaved(p, c)
	if err != nil || q.ID == "" {
		return before, err
	}
	if s.slot == nil {
		turn, err := s.begin(q, p.Turn, p.Tuning, event.ByPrompt)
		return Accepted{Turn: turn, Via: event.ByPrompt}, err
	}
	second := min(s.opts.SecondPrompt, p.most())
	if second == SteerSecond && s.slot.turn == "" && s.opts.Steers&SteerRunningTurn == 0 {
		second = QueueSecond // a steer would wait in the queue after the compaction
	}
	switch second {
	case QueueSecond:
		s.enqueue(nil, []event.Queued{q})
		return Accepted{Via: event.ByFollowUp}, nil
	case SteerSecond:
		if s.slot.closed {
			return Accepted{}, ErrNotSteerable
		}
		s.enqueue([]event.Queued{q}, nil)
		return Accepted{Turn: s.fold.State.Turn, Via: event.BySteer}, nil
	}
	return Accepted{}, ErrTurnActive
}

// Steer talks into the running turn; without one it waits for the next, or, as
// SteerRunningTurn says, is refused: ErrIdle. ErrNotSteerable.
func (c *Client) Steer(ctx context.Context, p Prompt) error {
	s := c.session
	err := s.steer(s.withSkills(p), c)
	if err == nil && s.log.Deferred() { // else it need not be on disk
		err = c.awaitPrompt(ctx, p)
	}
	return err
}

func (s *Session) steer(p Prompt, c *Client) error {
	if err := s.lockToWrite(); err != nil {
		return err
	}
	defer s.unlock()
	p.WhileBusy = p.WhileBusy || s.opts.Steers&SteerRunningTurn != 0
	q, _, err := s.admitSaved(p, c)
	if err == nil && q.ID != "" && s.slot != nil && s.slot.closed {
		return ErrNotSteerable
	}
	if err == nil && q.ID != "" {
		s.enqueue([]event.Queued{q}, nil)
	}
	return err
}

// FollowUp queues after the running turn; without one it waits for the next, or begins at
// once, as LiveOptions.FollowUps says.
func (c *Client) FollowUp(ctx context.Context, p Prompt) error {
	s := c.session
	err := s.followUp(s.withSkills(p), c)
	if err == nil {
		err = c.awaitPrompt(ctx, p)
	}
	return err
}

func (s *Session) followUp(p Prompt, c *Client) error {
	if err := s.lockToWrite(); err != nil {
		return err
	}
	defer s.unlock()
	q, _, err := s.admitSaved(p, c)
	if err == nil && q.ID != "" {
		s.enqueue(nil, []event.Queued{q})
		if s.slot == nil {
			s.beginQueued()
		}
	}
	return err
}

// admitSaved is admit for a prompt that will be recorded: a deferred store has the session then.
func (s *Session) admitSaved(p Prompt, c *Client) (event.Queued, Accepted, error) {
	for {
		q, before, err := s.admit(p, c)
		if err != nil || q.ID == "" {
			return q, before, err
		}
		waited, err := s.create()
		if err == nil {
			err = s.saveAgain()
		}
		if err != nil {
			return event.Queued{}, Accepted{}, err
		}
		if !waited {
			return q, before, nil
		}
	}
}

// admit checks a prompt of a client. A repeat has an empty Queued.
func (s *Session) admit(p Prompt, c *Client) (event.Queued, Accepted, error) {
	if err := s.checkPrompter(c); err != nil {
		return event.Queued{}, Accepted{}, err
	}
	if p.ID != "" {
		if as, known := s.fold.Prompts[p.ID]; known {
			return event.Queued{}, Accepted{as.Turn, as.Via, true}, nil
		}
	} else {
		p.ID = s.newPromptID()
	}
	if p.WhileBusy && s.fold.State.Turn == "" {
		return event.Queued{}, Accepted{}, ErrIdle
	}
	if err := s.opts.Budget.Err(); err != nil {
		return event.Queued{}, Accepted{}, err
	}
	blocks := p.blocks()
	if len(blocks) == 0 || !p.Blank && len(p.Notes) == 0 && isBlank(blocks) {
		return event.Queued{}, Accepted{}, ErrEmptyPrompt
	}
	return event.Queued{
		ID: p.ID, Blocks: blocks, Sent: p.Sent, Instructions: p.Tuning.Instructions, Notes: p.Notes, Failure: p.Failure, Client: c.who,
	}, Accepted{}, nil
}

// isBlank reports whether blocks have nothing for a model.
func isBlank(blocks []model.Block) bool {
	return !slices.ContainsFunc(blocks, func(b model.Block) bool { return b.Kind != model.KindText || strings.TrimSpace(b.Text) != "" })
}

// checkPrompter returns an error if a client must not give the session work. ErrSubagent, ErrBatch.
func (s *Session) checkPrompter(c *Client) error {
	switch {
	case s.opts.inner && c.who.N != 0:
		return ErrSubagent
	case s.fold.State.Profile == BatchProfile && (s.opts.Profile != BatchProfile || c.who.N != 0):
		return ErrBatch
	}
	return nil
}

// begin starts a turn, ahead of the disk. The session is idle.
func (s *Session) begin(q event.Queued, id event.TurnID, tuning Tuning, via event.Via, before ...event.Event) (event.TurnID, error) {
	s.moveToDir()
	if err := s.enterDir(); err != nil {
		return "", err
	}
	if err := s.log.Flush(); err != nil { // images need the journal's folder
		return "", err
	}
	s.recordCommands()
	if id == "" {
		id = event.TurnID(s.host.cfg.Hex(6))
	}
	environment := s.renewedEnvironment()
	if note := s.permissionNote(s.attended()); environment == nil && note != nil {
		before = append(before, *note)
	}
	if note := s.backgroundNote(); note != nil {
		before = append(before, *note)
	}
	events := append(before, event.TurnStarted{Prompt: q.ID, Environment: environment})
	events = append(events, s.messagesOf(q, via)...)
	head := s.fold.Head()
	if err := s.log.CommitAhead(id, events...); err != nil {
		return "", err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s.log.SetBusy(true)
	s.opened.begun, s.opened.queue = true, false
	s.slot = &slot{turn: id, prompt: q.ID, cancel: cancel, done: make(chan struct{}), closed: tuning.NoSteering}
	settings := s.fold.State.Settings
	t := &turn{s: s, attended: s.attended(), id: id, slot: s.slot, began: s.host.cfg.Now(), prompted: via != event.ByEngine, env: s.work.env, model: cmp.Or(tuning.ModelName, settings.Model), thinking: cmp.Or(tuning.Thinking, settings.Thinking), tuning: tuning, head: head, described: environment != nil, prompt: model.Message{Blocks: q.Blocks}.Text(), blocks: q.Blocks, notes: q.Notes, sent: q.Sent, unusable: q.Failure}
	go t.run(ctx)
	return id, nil
}

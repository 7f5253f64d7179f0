package engine

import (
	"cmp"
	"context"

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

// Prompt starts a turn and returns once it is accepted and on disk. While a turn runs,
// Options.SecondPrompt decides; a queued prompt's turn is "". A prompt whose ID was
// accepted before returns the turn it belongs to and does nothing.
// ErrTurnActive, ErrEmptyPrompt, ErrBudget, ErrNoFolder, ErrUnsaved, ErrClosed.
func (s *Session) Prompt(_ context.Context, p Prompt) (event.TurnID, error) {
	turn, err := s.accept(s.withSkills(p))
	if err == nil {
		s.log.AwaitDisk()
	}
	return turn, err
}

// accept is Prompt, ahead of the disk.
func (s *Session) accept(p Prompt) (event.TurnID, error) {
	if err := s.lockToWrite(); err != nil {
		return "", err
	}
	defer s.unlock()
	q, turn, err := s.admit(p)
	if err != nil || q.ID == "" {
		return turn, err
	}
	if s.slot == nil {
		return s.begin(q, p.Turn, p.Tuning, event.ByPrompt)
	}
	switch s.opts.SecondPrompt {
	case QueueSecond:
		s.enqueue(nil, []event.Queued{q})
	case SteerSecond:
		s.enqueue([]event.Queued{q}, nil)
	default:
		return "", ErrTurnActive
	}
	return "", nil
}

// Steer talks into the running turn; without one it waits for the next, or, as
// SteerRunningTurn says, is refused: ErrIdle.
func (s *Session) Steer(_ context.Context, p Prompt) error {
	p = s.withSkills(p)
	if err := s.lockToWrite(); err != nil {
		return err
	}
	defer s.unlock()
	q, _, err := s.admit(p)
	if err == nil && s.opts.Steers&SteerRunningTurn != 0 && s.fold.State.Turn == "" {
		return ErrIdle
	}
	if err == nil && q.ID != "" {
		s.enqueue([]event.Queued{q}, nil)
	}
	return err
}

// FollowUp queues after the running turn; without one it waits for the next, or begins at
// once, as LiveOptions.FollowUps says.
func (s *Session) FollowUp(_ context.Context, p Prompt) error {
	err := s.followUp(s.withSkills(p))
	if err == nil {
		s.log.AwaitDisk()
	}
	return err
}

func (s *Session) followUp(p Prompt) error {
	if err := s.lockToWrite(); err != nil {
		return err
	}
	defer s.unlock()
	q, _, err := s.admit(p)
	if err == nil && q.ID != "" {
		s.enqueue(nil, []event.Queued{q})
		if s.slot == nil {
			s.beginQueued()
		}
	}
	return err
}

// admit checks a prompt. A repeat has an empty Queued.
func (s *Session) admit(p Prompt) (event.Queued, event.TurnID, error) {
	if p.ID != "" {
		if turn, ok := s.fold.Prompts[p.ID]; ok || s.queued(p.ID) {
			return event.Queued{}, turn, nil
		}
	} else {
		p.ID = s.newPromptID()
	}
	if err := s.opts.Budget.Err(); err != nil {
		return event.Queued{}, "", err
	}
	blocks := p.blocks()
	if len(blocks) == 0 {
		return event.Queued{}, "", ErrEmptyPrompt
	}
	return event.Queued{ID: p.ID, Blocks: blocks, Sent: p.Sent, Instructions: p.Tuning.Instructions, Notes: p.Notes, Failure: p.Failure}, "", nil
}

func (s *Session) newPromptID() event.PromptID { return event.PromptID("p-" + s.host.cfg.Hex(6)) }

// messagesOf returns a prompt and its notes as they go into the history.
func (s *Session) messagesOf(q event.Queued, via event.Via) []event.Event {
	messages := []event.Event{event.UserMessage{ID: q.ID, Via: via, Blocks: s.log.StoreBlocks(q.Blocks), Sent: q.Sent}}
	for _, n := range q.Notes {
		messages = append(messages, event.UserMessage{ID: s.newPromptID(), Via: event.ByEngine, Blocks: s.log.StoreBlocks(n.Blocks), Sent: n.Sent})
	}
	return messages
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
	s.tellCommands()
	if id == "" {
		id = event.TurnID(s.host.cfg.Hex(6))
	}
	environment := s.renewedEnvironment()
	if note := s.permissionNote(s.clients.attached > 0); environment == nil && note != nil {
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
	s.opened.begun = true
	s.slot = &slot{turn: id, cancel: cancel, done: make(chan struct{})}
	settings := s.fold.State.Settings
	t := &turn{s: s, attended: s.clients.attached > 0, id: id, slot: s.slot, env: s.work.env, model: settings.Model, thinking: cmp.Or(tuning.Thinking, settings.Thinking), tuning: tuning, head: head, described: environment != nil, prompt: model.Message{Blocks: q.Blocks}.Text(), sent: q.Sent, unusable: q.Failure}
	go t.run(ctx)
	return id, nil
}

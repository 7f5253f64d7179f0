package engine

import (
	"context"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// Image is a picture in a prompt.
type Image = model.Image

// A Prompt is what a person says.
type Prompt struct {
	ID     event.PromptID // the client's own; a repeat of it is harmless. "": made up
	Text   string
	Images []Image // with Data
}

func (p Prompt) blocks() []model.Block {
	var blocks []model.Block
	if p.Text != "" {
		blocks = append(blocks, model.TextBlock(p.Text))
	}
	for _, img := range p.Images {
		blocks = append(blocks, model.Block{Kind: model.KindImage, Image: &img})
	}
	return blocks
}

// Prompt starts a turn and returns once it is accepted and on disk. While a turn runs,
// Options.SecondPrompt decides; a queued prompt's turn is "". A prompt whose ID was
// accepted before returns the turn it belongs to and does nothing.
// ErrTurnActive, ErrEmptyPrompt, ErrUnsaved, ErrClosed.
func (s *Session) Prompt(_ context.Context, p Prompt) (event.TurnID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q, turn, err := s.admit(p)
	if err != nil || q.ID == "" {
		return turn, err
	}
	if s.slot == nil {
		return s.begin(q, event.ByPrompt)
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

// Steer talks into the running turn; without one it waits for the next.
func (s *Session) Steer(_ context.Context, p Prompt) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	q, _, err := s.admit(p)
	if err == nil && q.ID != "" {
		s.enqueue([]event.Queued{q}, nil)
	}
	return err
}

// FollowUp queues behind the running turn; without one it waits for the next.
func (s *Session) FollowUp(_ context.Context, p Prompt) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	q, _, err := s.admit(p)
	if err == nil && q.ID != "" {
		s.enqueue(nil, []event.Queued{q})
	}
	return err
}

// admit checks a prompt. A repeat has an empty Queued.
func (s *Session) admit(p Prompt) (event.Queued, event.TurnID, error) {
	if s.closed {
		return event.Queued{}, "", ErrClosed
	}
	if p.ID != "" {
		if turn, ok := s.fold.prompts[p.ID]; ok || s.queued(p.ID) {
			return event.Queued{}, turn, nil
		}
	} else {
		p.ID = event.PromptID("p-" + s.host.cfg.Hex(6))
	}
	blocks := p.blocks()
	if len(blocks) == 0 {
		return event.Queued{}, "", ErrEmptyPrompt
	}
	return event.Queued{ID: p.ID, Blocks: blocks}, "", nil
}

// begin starts a turn. The session is idle.
func (s *Session) begin(q event.Queued, via event.Via, before ...event.Event) (event.TurnID, error) {
	if err := s.flush(); err != nil { // images need the journal's folder
		return "", unsaved(err)
	}
	id := event.TurnID(s.host.cfg.Hex(6))
	events := append(before, event.TurnStarted{Prompt: q.ID}, event.UserMessage{ID: q.ID, Via: via, Blocks: s.keepBlocks(q.Blocks)})
	if err := s.commit(id, events...); err != nil {
		return "", err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s.slot = &slot{turn: id, cancel: cancel, done: make(chan struct{})}
	t := &turn{s: s, id: id, slot: s.slot}
	go t.run(ctx)
	return id, nil
}

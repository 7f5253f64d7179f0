package engine

import (
	"cmp"
	"context"
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// An Editor has a say in what models are told of a session's history. Its methods may take
// their time: they are called by goroutines of the turn, or of a compaction, with no lock held, and
// return soon after ctx has ended. What one does that panics is as if it had said nothing.
type Editor interface {
	// History gives what the next request has of the history; nil: all of it, as it is. The
	// history itself stays what it was. A call without a result is given one that says so, and a
	// result without a call is left out.
	History(ctx context.Context, all []Said) []Said
	// Compacting is asked when messages are about to be summarised.
	Compacting(ctx context.Context, c Compacting) Draft
}

// A Said is a message of the history, or the result of one call.
type Said struct {
	Seq     uint64 // of the record of a message; 0: of a result, or of what an Editor has made
	Role    model.Role
	Blocks  []model.Block // of a result: one
	Summary bool          // it stands for messages that were summarised
}

// A Compacting is a compaction that is about to be made.
type Compacting struct {
	Reason       event.CompactReason
	Guidance     string // of the person who asked for it
	KeptFrom     uint64 // record of the first message that stays; 0: none does
	TokensBefore int    // an estimate of the whole context
}

// A Draft is what an Editor wants of a compaction; the zero value leaves it as it is.
type Draft struct {
	Refused  bool     // there is none; it ends as one that was interrupted
	Summary  string   // in the place of the model's; no model is asked
	KeptFrom *uint64  // with a Summary: the first message that stays, in the place of ours
	Prompt   string   // what the model is told to do, in the place of ours
	Context  []string // what the model is told besides
}

// told is the history for the next request to m.
func (t *turn) told(ctx context.Context, m Model) []model.Message {
	s := t.s
	s.mu.Lock()
	all, skipped := s.fold.Messages(s.skipped()), s.skipped()
	all = s.fold.WithoutRefused(all, session.ModelKey(m.Info), t.trial)
	var said []Said
	if s.opts.Editor != nil {
		said = saidOf(s.fold.Entries, all)
	}
	s.mu.Unlock()
	if said == nil {
		return all
	}
	edited := t.edited(ctx, said)
	if edited == nil {
		return all
	}
	if edited := paired(edited, skipped); len(edited) > 0 {
		return edited
	}
	return all // a request of nothing is none
}

func (t *turn) edited(ctx context.Context, said []Said) (edited []Said) {
	defer func() {
		if p := recover(); p != nil {
			t.logPanic("edit", "history", p)
			edited = nil
		}
	}()
	return t.s.opts.Editor.History(ctx, said)
}

// saidOf returns the messages of the history and the results of its calls, one by one; all is its entries
// as a request has them.
func saidOf(entries []session.Entry, all []model.Message) []Said {
	said := make([]Said, 0, len(all))
	next := 0
	for _, m := range all {
		if m.Role != model.Tool {
			said = append(said, Said{Seq: entries[next].Seq, Role: m.Role, Blocks: slices.Clone(m.Blocks), Summary: entries[next].Compacted != nil})
			next++
			continue
		}
		for _, b := range m.Blocks {
			said = append(said, Said{Role: model.Tool, Blocks: []model.Block{b}})
		}
	}
	return said
}

// paired is messages for a request: each call is followed by its result.
func paired(said []Said, skipped string) []model.Message {
	results := map[string]model.Result{}
	for _, s := range said {
		for _, b := range s.Blocks {
			if b.Result != nil {
				results[b.Result.CallID] = *b.Result
			}
		}
	}
	var messages []model.Message
	for _, s := range said {
		if s.Role == model.Tool || len(s.Blocks) == 0 {
			continue
		}
		m := model.Message{Role: s.Role, Blocks: s.Blocks}
		messages = append(messages, m)
		told := model.Message{Role: model.Tool}
		for _, call := range m.Calls() {
			r, ok := results[call.ID]
			if !ok {
				r = model.Result{CallID: call.ID, Text: skipped, IsError: true}
			}
			told.Blocks = append(told.Blocks, model.ResultBlock(r))
		}
		if len(told.Blocks) > 0 {
			messages = append(messages, told)
		}
	}
	return messages
}

// draft asks the editor about a compaction. The error is why there is none.
func (s *Session) draft(ctx context.Context, c Compacting) (Draft, error) {
	if s.opts.Editor == nil {
		return Draft{}, nil
	}
	d := s.compacting(ctx, c)
	switch {
	case ctx.Err() != nil:
		return d, context.Cause(ctx)
	case d.Refused:
		return d, ErrInterrupted
	}
	return d, nil
}

// compacting asks the editor. A panic in it says nothing.
func (s *Session) compacting(ctx context.Context, c Compacting) (d Draft) {
	defer func() {
		if p := recover(); p != nil {
			s.host.cfg.Log.Error("panic in editor", "session", s.id, "panic", p)
			d = Draft{}
		}
	}()
	return s.opts.Editor.Compacting(ctx, c)
}

// instructions is what the model that summarises is told to do.
func (d Draft) instructions() string { return cmp.Or(d.Prompt, compactText) }

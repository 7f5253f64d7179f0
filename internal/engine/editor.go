package engine

import (
	"cmp"
	"context"
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// A HistoryMessage is a message of the history, or the result of one call.
type HistoryMessage struct {
	Seq     uint64 // of the record of a message; 0: of a result, or of what a plugin has made
	Role    model.Role
	Blocks  []model.Block // of a result: one
	Summary bool          // it stands for messages that were summarised
}

// A CompactionRequest is a compaction that is about to be made.
type CompactionRequest struct {
	Reason       event.CompactReason
	Guidance     string // of the user who asked for it
	KeptFrom     uint64 // record of the first message that stays; 0: none does
	TokensBefore int    // an estimate of the whole context
}

// A CompactionDraft is what a plugin wants of a compaction; the zero value leaves it as it is.
type CompactionDraft struct {
	Refused  bool     // there is none; it ends as one that was interrupted
	Summary  string   // in the place of the model's; no model is asked
	KeptFrom *uint64  // with a Summary: the first message that stays, in the place of ours
	Prompt   string   // for the model, in place of ours
	Context  []string // for the model, besides
}

// messages returns the history for the next request to m, as the plugins want it.
func (s *Session) messages(ctx context.Context, m Model, trial []session.TextRef) []model.Message {
	editors := pluginsOf[HistoryEditor](s)
	s.mu.Lock()
	skipped := s.text(TextSkipped)
	all := s.fold.Messages(skipped)
	all = s.fold.WithoutRefused(all, session.ModelKey(m.Info), trial)
	var said []HistoryMessage
	if len(editors) > 0 {
		said = saidOf(s.fold.Entries, all)
	}
	s.mu.Unlock()
	edited := false
	for _, editor := range editors {
		var out []HistoryMessage
		if p := s.guard("edit", "history", func() { out = editor.History(ctx, said) }); p == nil && out != nil {
			said, edited = out, true
		}
	}
	if !edited {
		return all
	}
	if messages := paired(said, skipped); len(messages) > 0 {
		return messages
	}
	return all // a request must not be empty
}

// saidOf returns the messages of the history and the results of its calls, one by one; all is its entries
// as a request has them.
func saidOf(entries []session.Entry, all []model.Message) []HistoryMessage {
	said := make([]HistoryMessage, 0, len(all))
	next := 0
	for _, m := range all {
		if m.Role != model.Tool {
			said = append(said, HistoryMessage{Seq: entries[next].Seq, Role: m.Role, Blocks: slices.Clone(m.Blocks), Summary: entries[next].Compacted != nil})
			next++
			continue
		}
		for _, b := range m.Blocks {
			said = append(said, HistoryMessage{Role: model.Tool, Blocks: []model.Block{b}})
		}
	}
	return said
}

// paired returns messages for a request: each call is followed by its result.
func paired(said []HistoryMessage, skipped string) []model.Message {
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
		toolMessage := model.Message{Role: model.Tool}
		for _, call := range m.Calls() {
			r, ok := results[call.ID]
			if !ok {
				r = model.Result{CallID: call.ID, Text: skipped, IsError: true}
			}
			toolMessage.Blocks = append(toolMessage.Blocks, model.ResultBlock(r))
		}
		if len(toolMessage.Blocks) > 0 {
			messages = append(messages, toolMessage)
		}
	}
	return messages
}

// draft asks the plugins about a compaction. The error is why there is none.
func (s *Session) draft(ctx context.Context, c CompactionRequest) (CompactionDraft, error) {
	var d CompactionDraft
	for _, editor := range pluginsOf[HistoryEditor](s) {
		s.guard("edit", "compaction", func() { d = editor.DraftCompaction(ctx, c) })
		if ctx.Err() != nil {
			return d, context.Cause(ctx)
		}
		if !d.isZero() {
			break
		}
	}
	if d.Refused {
		return d, ErrInterrupted
	}
	return d, nil
}

func (d CompactionDraft) isZero() bool {
	return !d.Refused && d.Summary == "" && d.KeptFrom == nil && d.Prompt == "" && len(d.Context) == 0
}

// instructions returns the system prompt of the request for a summary.
func (d CompactionDraft) instructions() string { return cmp.Or(d.Prompt, compactText) }

package pisces

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file implements how extensions move in the tree that a session is.

// moveEvent is a move in the history, before it or after it.
type moveEvent struct {
	Type          string         `json:"type"`
	Preparation   *movePlan      `json:"preparation,omitzero"`
	NewLeafID     *string        `json:"newLeafId,omitzero"`
	OldLeafID     *string        `json:"oldLeafId,omitzero"`
	SummaryEntry  jsontext.Value `json:"summaryEntry,omitzero"`
	FromExtension bool           `json:"fromExtension,omitzero"`
}

type movePlan struct {
	TargetID     string           `json:"targetId"`
	OldLeafID    string           `json:"oldLeafId"`
	CommonID     string           `json:"commonAncestorId"`
	Entries      []jsontext.Value `json:"entriesToSummarize"`
	WantsSummary bool             `json:"userWantsSummary"`
}

// A moved is the answer to a command of an extension that moved.
type moved struct {
	Cancelled  bool    `json:"cancelled"`
	EditorText *string `json:"editorText,omitzero"`
}

// navigate goes to an entry of the session's tree. To a message of the user is before it:
// the text is given back, to be said anew. What is left has a summary if an extension writes one.
func (x *extensions) navigate(ctx context.Context, w extensionRequest) (any, error) {
	x.c.mu.Lock()
	defer x.c.mu.Unlock()
	if x.c.closing || ctx.Err() != nil {
		return nil, errSessionAway
	}
	s := x.c.session
	if st := s.eng.State(); st.Busy {
		return nil, errors.New("the agent works: wait for it (waitForIdle), or abort it, before moving in its history")
	}
	h, err := s.history(ctx)
	if err != nil {
		return nil, err
	}
	at, known := h.Index[w.TargetID]
	if !known {
		return nil, fmt.Errorf("there is no entry %q", w.TargetID)
	}
	plan := leaving(h, w.TargetID)
	plan.WantsSummary = w.Summarize
	var wanted struct {
		Cancel  bool `json:"cancel"`
		Summary *struct {
			Summary string `json:"summary"`
		} `json:"summary"`
	}
	x.ask(ctx, moveEvent{Type: "session_before_tree", Preparation: &plan}, true, &wanted)
	switch {
	case wanted.Cancel:
		return moved{Cancelled: true}, nil
	case w.Summarize && wanted.Summary == nil:
		return nil, errors.New("what a move leaves is summarised by extensions only: none answered session_before_tree with a summary")
	}
	var result moved
	target := h.Entries[at]
	if said, ok := message.UserText(target.Message()); ok {
		result.EditorText = &said
	}
	if err := goTo(h, s.eng, target, result.EditorText != nil); err != nil {
		return nil, err
	}
	if wanted.Summary != nil {
		note := message.BranchSummary{Role: message.RoleBranchSummary, Summary: wanted.Summary.Summary, FromID: h.Leaf, Timestamp: x.c.cfg.Now().UnixMilli()}
		if err := s.eng.AddMessage(event.Note{Blocks: message.ModelBlocks(note), Sent: rawjson.Marshal(note)}); err != nil {
			return nil, err
		}
	}
	after := moveEvent{Type: "session_tree", OldLeafID: &h.Leaf, FromExtension: wanted.Summary != nil}
	if now, err := s.history(ctx); err == nil {
		after.NewLeafID = &now.Leaf
		if i, ok := now.Index[now.Leaf]; ok && wanted.Summary != nil {
			after.SummaryEntry = now.Entries[i].Line()
		}
	}
	x.emit(ctx, after)
	return result, nil
}

// leaving returns what a move to an entry leaves.
func leaving(h *sessionfile.History, target string) movePlan {
	p := movePlan{TargetID: target, OldLeafID: h.Leaf, Entries: []jsontext.Value{}}
	ancestors := map[string]bool{}
	for id := target; id != "" && !ancestors[id]; id = parentOf(h, id) {
		ancestors[id] = true
	}
	for _, e := range h.Path() {
		if ancestors[e.ID] {
			p.CommonID = e.ID
			continue
		}
		p.Entries = append(p.Entries, e.Line())
	}
	return p
}

// parentOf returns the entry that another hangs on; "": none.
func parentOf(h *sessionfile.History, id string) string {
	if i, known := h.Index[id]; known {
		return h.Entries[i].Parent
	}
	return ""
}

// goTo moves the head to an entry, or, before, to the one that it hangs on. Some entries are no
// node of the engine's history: they belong to the node before them.
func goTo(h *sessionfile.History, eng *engine.Session, target sessionfile.Entry, before bool) error {
	id := target.ID
	if before {
		id = target.Parent
	}
	for range len(h.Entries) {
		if id == "" {
			break
		}
		_, err := eng.Branch(h.Seqs[id])
		if err == nil || !errors.Is(err, engine.ErrBadHead) {
			return err
		}
		id = parentOf(h, id)
	}
	_, err := eng.Branch(0)
	return err
}

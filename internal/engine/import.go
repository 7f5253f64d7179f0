package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// Import makes a session of records that another program has kept; times, turns and origins
// stay. Record 1 is made of n, so the i-th of records, counted from 0, gets number i+2: that
// is how Branched.Head, Compacted.KeptFrom and Labelled.Target name them. A head may be any
// record before, also one that is no message: it stands for the history as it was behind that.
//
// Images with data become blobs, and what records name is taken from blob, which may be nil.
// Calls whose ids were used before get others. What is open at the end is closed, as
// interrupted; before it, whatever ends must have begun, and a turn ends last. It is on disk
// when Import returns. Records are read once and not kept. ErrExists.
func (h *Host) Import(ctx context.Context, n NewSession, records iter.Seq2[event.Record, error], blob func(address string) ([]byte, error), o Options) (*Session, error) {
	workspace, err := Workspace(n.Workspace)
	if err != nil {
		return nil, err
	}
	s := newSession(h, n.ID, o)
	c := customs{s: s, calls: map[event.CallID]event.CallID{}}
	all := func(yield func(event.Record, error) bool) {
		if !yield(h.created(n, s.id, workspace), nil) {
			return
		}
		seq := uint64(1)
		for rec, err := range records {
			if err == nil {
				err = ctx.Err()
			}
			seq++
			rec.Seq = seq
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
	imported, err := h.takeIn(intake{s: s, records: all, edit: c.admit, blob: blob}, nil)
	if err != nil {
		return nil, fmt.Errorf("import session: %w", err)
	}
	return imported, nil
}

// customs looks at records that come from outside.
type customs struct {
	s     *Session
	calls map[event.CallID]event.CallID // that were renamed, by the last name from outside
}

func (c *customs) admit(rec *event.Record) error {
	if rec.Seq == 1 {
		return nil
	}
	if rec.Time.IsZero() {
		rec.Time = c.s.host.cfg.Now().UTC()
	}
	err := c.check(*rec)
	if err == nil {
		rec.Event = c.rename(rec.Event)
		err = c.checkCall(rec.Event)
	}
	if err != nil {
		return fmt.Errorf("record %d does not fit in: %w", rec.Seq, err)
	}
	return nil
}

// check is for all but what belongs to calls.
func (c *customs) check(rec event.Record) error {
	open, turn := &c.s.fold.open, c.s.fold.state.Turn
	if rec.Event == nil {
		return errors.New("it has no event")
	}
	if !rec.Event.Kind().Durable() {
		return fmt.Errorf("%s is never stored", rec.Event.Kind())
	}
	if rec.Origin != nil && !rec.Origin.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return errors.New("its origin is not JSON")
	}
	switch e := rec.Event.(type) {
	case event.SessionCreated:
		return errors.New("a session is created once")
	case event.TurnStarted:
		switch {
		case rec.Turn == "":
			return errors.New("the turn has no id")
		case turn != "" || open.any():
			return errors.New("something before it is still open")
		}
	case event.TurnEnded:
		switch {
		case turn == "" || turn != rec.Turn:
			return errors.New("it ends a turn that is not open")
		case open.any():
			return errors.New("something in the turn is still open")
		}
	case event.StepStarted:
		if open.step != 0 {
			return errors.New("the step before it is still open")
		}
	case event.StepEnded:
		if open.step != e.Step || len(open.calls) > 0 {
			return errors.New("it ends a step that is not open, or has open calls")
		}
	case event.Branched:
		return earlier(e.Head, rec.Seq)
	case event.Compacted:
		return earlier(e.KeptFrom, rec.Seq)
	case event.Labelled:
		return earlier(e.Target, rec.Seq)
	case event.TextRefused:
		if len(e.Messages) > 0 {
			return earlier(slices.Max(e.Messages), rec.Seq)
		}
	}
	return nil
}

func earlier(named, seq uint64) error {
	if named >= seq {
		return fmt.Errorf("it names record %d, which is not before it", named)
	}
	return nil
}

// any says whether something but the turn is open.
func (o *openTurn) any() bool {
	return o.step != 0 || len(o.calls)+len(o.approvals)+len(o.questions) > 0
}

// checkCall is for what belongs to calls.
func (c *customs) checkCall(e event.Event) error {
	var call event.CallID
	switch e := e.(type) {
	case event.ToolIntended:
		if _, open := c.s.fold.open.calls[e.Call]; open {
			return fmt.Errorf("call %s is open", e.Call)
		}
		return nil
	case event.ChangesProposed:
		call = e.Call
	case event.ToolStarted:
		call = e.Call
	case event.ToolEnded:
		call = e.Call
	default:
		return nil
	}
	if _, open := c.s.fold.open.calls[call]; !open {
		return fmt.Errorf("call %s is not open", call)
	}
	return nil
}

// rename gives calls other ids where theirs were used.
func (c *customs) rename(e event.Event) event.Event {
	switch e := e.(type) {
	case event.AssistantMessage:
		e.Blocks = c.renameCalls(e.Blocks)
		return e
	case event.ToolIntended:
		e.Call = c.name(e.Call)
		return e
	case event.ChangesProposed:
		e.Call = c.name(e.Call)
		return e
	case event.ToolStarted:
		e.Call = c.name(e.Call)
		return e
	case event.ToolEnded:
		e.Call = c.name(e.Call)
		return e
	case event.ApprovalAsked:
		e.Call = c.name(e.Call)
		return e
	case event.QuestionAsked:
		e.Call = c.name(e.Call)
		return e
	}
	return e
}

func (c *customs) renameCalls(blocks []model.Block) []model.Block {
	blocks = append([]model.Block(nil), blocks...)
	for i, b := range blocks {
		if b.Kind != model.KindToolCall || b.Call == nil {
			continue
		}
		call, id := *b.Call, event.CallID(b.Call.ID)
		c.calls[id] = c.s.fold.newCall(id)
		call.ID = string(c.calls[id])
		blocks[i].Call = &call
	}
	return blocks
}

func (c *customs) name(call event.CallID) event.CallID {
	if ours, ok := c.calls[call]; ok {
		return ours
	}
	return call
}

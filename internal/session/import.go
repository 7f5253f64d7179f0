package session

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// An ImportCheck checks the records of another program before they are applied to a Fold, and gives new
// ids to calls whose ids were used before.
type ImportCheck struct {
	fold  *Fold
	calls map[event.CallID]event.CallID // new ids, by the last id from outside
}

// NewImportCheck returns the check of what is applied to f.
func NewImportCheck(f *Fold) *ImportCheck {
	return &ImportCheck{fold: f, calls: map[event.CallID]event.CallID{}}
}

// Check returns an error if rec must not follow the records that were applied so far: what ends must
// have begun, and records name only earlier ones. It may change the event.
func (c *ImportCheck) Check(rec *event.Record) error {
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

// check checks everything but the ids of calls.
func (c *ImportCheck) check(rec event.Record) error {
	open, turn := &c.fold.Open, c.fold.State.Turn
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
		case turn != "" || open.Any():
			return errors.New("something before it is still open")
		}
	case event.TurnEnded:
		switch {
		case turn == "" || turn != rec.Turn:
			return errors.New("it ends a turn that is not open")
		case open.Any():
			return errors.New("something in the turn is still open")
		}
	case event.StepStarted:
		if open.Step != 0 {
			return errors.New("the step before it is still open")
		}
	case event.StepEnded:
		if open.Step != e.Step || len(open.Calls) > 0 {
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

// checkCall checks the id of the call that an event belongs to.
func (c *ImportCheck) checkCall(e event.Event) error {
	var call event.CallID
	switch e := e.(type) {
	case event.ToolIntended:
		if _, open := c.fold.Open.Calls[e.Call]; open {
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
	if _, open := c.fold.Open.Calls[call]; !open {
		return fmt.Errorf("call %s is not open", call)
	}
	return nil
}

// rename gives calls new ids if theirs were used.
func (c *ImportCheck) rename(e event.Event) event.Event {
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

func (c *ImportCheck) renameCalls(blocks []model.Block) []model.Block {
	blocks = append([]model.Block(nil), blocks...)
	for i, b := range blocks {
		if b.Kind != model.KindToolCall || b.Call == nil {
			continue
		}
		call, id := *b.Call, event.CallID(b.Call.ID)
		c.calls[id] = c.fold.NewCall(id)
		call.ID = string(c.calls[id])
		blocks[i].Call = &call
	}
	return blocks
}

func (c *ImportCheck) name(call event.CallID) event.CallID {
	if ours, ok := c.calls[call]; ok {
		return ours
	}
	return call
}

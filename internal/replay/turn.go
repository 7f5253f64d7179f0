package replay

import (
	"cmp"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
)

// A Turn is a prompt and the calls that its answers made.
type Turn struct {
	Prompt string
	Calls  []Call
	Ended  string // why the turn was not completed; "": it was
}

// A Call is a call of a tool, and how it ended.
type Call struct {
	Name    string // as the model called it
	Input   jsontext.Value
	Outcome event.Outcome // "": the call has not ended
	Output  string
}

// Turns returns the turns of a session, however they ended.
func Turns(records iter.Seq2[event.Record, error]) (turns []Turn, err error) {
	var open turn
	for rec, err := range records {
		if err != nil {
			return nil, err
		}
		switch e := rec.Event.(type) {
		case event.TurnStarted:
			open = turn{}
		case event.ToolIntended:
			open.begin(e)
		case event.ToolEnded:
			open.end(e)
		case event.TurnEnded:
			open.Ended = endOf(e)
			turns = append(turns, open.Turn)
		}
	}
	return turns, nil
}

// endOf returns why a turn was not completed; "": it was.
func endOf(e event.TurnEnded) string {
	switch {
	case e.Reason == event.TurnCompleted:
		return ""
	case e.Failure != nil:
		return cmp.Or(e.Failure.Message, string(e.Reason))
	}
	return string(e.Reason)
}

// A turn is a Turn that is read.
type turn struct {
	Turn
	at map[event.CallID]int // in Calls
}

func (t *turn) begin(e event.ToolIntended) {
	if t.at == nil {
		t.at = map[event.CallID]int{}
	}
	t.at[e.Call] = len(t.Calls)
	t.Calls = append(t.Calls, Call{Name: e.Name, Input: e.Input})
}

func (t *turn) end(e event.ToolEnded) {
	if i, ok := t.at[e.Call]; ok {
		t.Calls[i].Outcome, t.Calls[i].Output = e.Outcome, e.Output
	}
}

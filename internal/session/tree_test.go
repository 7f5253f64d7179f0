package session

import (
	"fmt"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// TestTreeAt: any record stands for the history as it was after it.
func TestTreeAt(t *testing.T) {
	f := New()
	for i, e := range []event.Event{ // from record 1 on
		event.Notice{},
		userMessage("2"),
		event.Notice{},
		userMessage("4"),
		event.Branched{Head: 2},
		event.Notice{},
		userMessage("7"),
		event.Branched{Head: 0},
		event.Foreign{},
		event.Branched{Head: 6},
		event.Notice{},
	} {
		f.Apply(event.Record{Seq: uint64(i + 1), Event: e})
	}
	for i, want := range []uint64{0, 0, 2, 2, 4, 2, 2, 7, 0, 0, 2, 2, 2} {
		if got := f.tree.at(uint64(i)); got != want {
			t.Errorf("at(%d) = %d, want %d", i, got, want)
		}
	}
}

// TestBranchCost checks that a branch does not cost more where the history is longer.
func TestBranchCost(t *testing.T) {
	f := New()
	f.Apply(event.Record{Seq: 1, Event: event.SessionCreated{}})
	const messages = 2000
	for seq := uint64(2); seq < messages; seq += 3 {
		call := model.Call{ID: fmt.Sprint("c", seq), Name: "read"}
		f.Apply(event.Record{Seq: seq, Event: event.UserMessage{Blocks: []model.Block{model.TextBlock("read it")}}})
		f.Apply(event.Record{Seq: seq + 1, Event: event.AssistantMessage{Blocks: []model.Block{{Kind: model.KindToolCall, Call: &call}}}})
		f.Apply(event.Record{Seq: seq + 2, Event: event.ToolEnded{Call: event.CallID(call.ID), Outcome: event.Succeeded, Output: "text"}})
	}
	next := f.State.Head + 1
	allocated := testing.AllocsPerRun(10, func() {
		f.Apply(event.Record{Seq: next, Event: event.Branched{Head: f.Entries[len(f.Entries)-2].Seq}})
		next++
	})
	if allocated > 10 {
		t.Errorf("a branch that removes one message of %d: %v allocations", messages, allocated)
	}
	want := 0
	for _, e := range f.Entries {
		want += f.EntryBytes(e)
	}
	if f.Bytes != want || f.State.Messages != len(f.Entries) || f.State.Results != len(f.Results) {
		t.Errorf("after the branches: %d bytes, %d messages, %d results; want %d, %d, %d",
			f.Bytes, f.State.Messages, f.State.Results, want, len(f.Entries), len(f.Results))
	}
	f.Apply(event.Record{Seq: next, Event: event.Branched{Head: 1}})
	if f.Bytes != 0 || len(f.Entries) != 0 || len(f.Results) != 0 {
		t.Errorf("before the first message: %d bytes, %d messages, %d results", f.Bytes, len(f.Entries), len(f.Results))
	}
}

func userMessage(text string) event.UserMessage {
	return event.UserMessage{ID: event.PromptID(text), Via: event.ByPrompt, Blocks: []model.Block{model.TextBlock(text)}}
}

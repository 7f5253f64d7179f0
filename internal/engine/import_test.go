package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

var importedAt = time.Date(2020, 5, 6, 7, 8, 9, 0, time.UTC)

// foreign yields events as records of another program, all in turn t.
func foreign(events ...event.Event) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for i, e := range events {
			origin := jsontext.Value(fmt.Sprintf(`{"id":%d}`, i))
			if !yield(event.Record{Time: importedAt.Add(time.Duration(i) * time.Second), Turn: "t", Event: e, Origin: origin}, nil) {
				return
			}
		}
	}
}

func person(text string) event.UserMessage {
	return event.UserMessage{ID: event.PromptID(text), Via: event.ByPrompt, Blocks: []model.Block{model.TextBlock(text)}}
}

func answered(text string, calls ...string) event.AssistantMessage {
	e := event.AssistantMessage{Blocks: []model.Block{model.TextBlock(text)}, Usage: model.Usage{Input: 5, Output: 2}}
	for _, id := range calls {
		call := toolCall(id, "look", "{}")
		e.Blocks = append(e.Blocks, model.Block{Kind: model.KindToolCall, Call: &call})
	}
	return e
}

func ranCall(id, output string) []event.Event {
	return []event.Event{
		event.ToolIntended{Call: event.CallID(id), Name: "look", Input: jsontext.Value("{}")},
		event.ToolStarted{Call: event.CallID(id)},
		event.ToolEnded{Call: event.CallID(id), Outcome: event.Succeeded, Output: output},
	}
}

func importOf(t *testing.T, b *bench, records iter.Seq2[event.Record, error], blob func(string) ([]byte, error)) *Session {
	t.Helper()
	n := NewSession{ID: "imported", Workspace: t.TempDir(), Settings: event.Settings{Model: "test"}, Created: importedAt}
	s, err := b.host().Import(t.Context(), n, records, blob, b.options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestImport: a tree of another program, with a branch, becomes a session that goes on, and
// opens again.
func TestImport(t *testing.T) {
	events := []event.Event{person("first"), answered("one", "c")} // records 2 and 3
	events = append(events, ranCall("c", "seen once")...)          // 4, 5, 6
	events = append(events,
		event.Foreign{Format: "f"},        // 7
		person("second"), answered("two"), // 8, 9
		event.Branched{Head: 7},                 // 10: after the call's result
		person("third"), answered("three", "c"), // 11, 12: an id that was used
	)
	events = append(events, ranCall("c", "seen twice")...) // 13, 14, 15
	events = append(events, event.Labelled{Target: 8, Label: "gone"}, event.CommandRan{Shell: event.ShellRun{Command: "ls"}, Output: "x\n"})
	b := newBench(t, []fakeTool{lookTool()}, say("four"), say("five"), say("six"))
	s := importOf(t, b, foreign(events...), nil)
	stored := b.store.only().records(true)
	if len(stored) != len(events)+1 {
		t.Fatalf("%d records on disk, want %d", len(stored), len(events)+1)
	}
	for i, rec := range stored {
		when, origin := importedAt, jsontext.Value(nil)
		if i > 0 {
			when, origin = importedAt.Add(time.Duration(i-1)*time.Second), jsontext.Value(fmt.Sprintf(`{"id":%d}`, i-1))
		}
		if rec.Seq != uint64(i+1) || !rec.Time.Equal(when) || string(rec.Origin) != string(origin) {
			t.Errorf("record %d = %d, %s, %s", i+1, rec.Seq, rec.Time, rec.Origin)
		}
	}
	ended(t, turnOf(t, s, "fourth", nil))
	messages := b.requests()[0].Messages
	equal(t, "history", said(messages), []string{"first", "third", session.CommandText(event.CommandRan{Shell: event.ShellRun{Command: "ls"}, Output: "x\n"}), "fourth"})
	var results []string
	for _, m := range messages {
		if m.Role == model.Tool {
			results = append(results, m.Blocks[0].Result.Text)
		}
	}
	equal(t, "results", results, []string{"seen once", "seen twice"})
	if st := s.State(); st.Usage.Input != 3*5+10 {
		t.Errorf("usage = %+v", st.Usage)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := b.host().Open(t.Context(), s.ID(), b.options())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close(t.Context())
	if _, err := again.Branch(9); err != nil {
		t.Fatal(err)
	}
	ended(t, turnOf(t, again, "fifth", nil))
	equal(t, "history", said(b.requests()[1].Messages), []string{"first", "second", "fifth"})
	if _, err := again.Branch(12); err != nil {
		t.Fatal(err)
	}
	ended(t, turnOf(t, again, "sixth", nil))
	messages = b.requests()[2].Messages
	equal(t, "history", said(messages), []string{"first", "third", "sixth"})
	if len(messages) != 7 || messages[2].Blocks[0].Result.Text != "seen once" || messages[5].Blocks[0].Result.Text != "seen twice" {
		t.Errorf("%d messages: %+v", len(messages), messages)
	}
}

// TestImportSideways: the last that was said continues a branch that others came after.
func TestImportSideways(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, say("two"))
	events := append([]event.Event{person("first"), answered("one", "c")}, ranCall("c", "seen")...) // 2 … 6
	events = append(events, event.Branched{Head: 0}, person("gone"), answered("gone"), event.Branched{Head: 6}, person("second"))
	s := importOf(t, b, foreign(events...), nil)
	if st := s.State(); st.Messages != 3 {
		t.Errorf("%d messages", st.Messages)
	}
	ended(t, turnOf(t, s, "third", nil))
	messages := b.requests()[0].Messages
	equal(t, "history", said(messages), []string{"first", "second", "third"})
	if messages[2].Blocks[0].Result.Text != "seen" {
		t.Errorf("the result is %+v", messages[2].Blocks[0].Result)
	}
}

// TestImportOpen: what the other program left open is closed.
func TestImportOpen(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, say("two"))
	s := importOf(t, b, foreign(event.TurnStarted{Prompt: "first"}, person("first"), event.StepStarted{Step: 1},
		answered("one", "c", "d"), ranCall("c", "x")[0], ranCall("c", "x")[1]), nil)
	checkBalanced(t, b.store.only().records(true))
	if st := s.State(); st.Turn != "" || st.Turns != 1 {
		t.Errorf("state = %+v", st)
	}
	ended(t, turnOf(t, s, "second", nil))

	outside := newBench(t, []fakeTool{lookTool()}, say("two"))
	s = importOf(t, outside, foreign(person("first"), answered("one", "c"), ranCall("c", "x")[0],
		event.QueueChanged{FollowUps: []event.Queued{{ID: "q", Blocks: person("q").Blocks}}}), nil)
	if got := find[event.ToolEnded](outside.store.only().records(true)); len(got) != 1 || len(s.State().FollowUps) > 0 {
		t.Errorf("ends = %+v, waiting = %+v", got, s.State().FollowUps)
	}
	ended(t, turnOf(t, s, "second", nil))
}

// TestImportBlobs: pictures with data, those that records name, and long outputs are blobs.
func TestImportBlobs(t *testing.T) {
	first := person("first")
	first.Blocks = append(first.Blocks, model.ImageBlock(model.Image{MIME: "image/png", Data: []byte("inline")}), model.ImageBlock(model.Image{MIME: "image/png", Blob: "far"}))
	done := ranCall("c", "")
	done[2] = event.ToolEnded{Call: "c", Outcome: event.Succeeded, OutputBlob: "long", Shell: &event.ShellRun{FullBlob: "far"}}
	records := foreign(append([]event.Event{first, answered("one", "c")}, done...)...)
	far := map[string]string{"far": "away", "long": strings.Repeat("x", outputCap+1)}
	asked := map[string]int{}
	b := newBench(t, []fakeTool{lookTool()}, say("two"))
	s := importOf(t, b, records, func(address string) ([]byte, error) { asked[address]++; return []byte(far[address]), nil })
	if asked["far"] != 1 || asked["long"] != 1 || len(b.store.only().blobs) != 3 {
		t.Errorf("asked for %v, kept %d", asked, len(b.store.only().blobs))
	}
	ended(t, turnOf(t, s, "second", nil))
	messages := b.requests()[0].Messages
	got := []string{string(messages[0].Blocks[1].Image.Data), string(messages[0].Blocks[2].Image.Data), messages[2].Blocks[0].Result.Text}
	if diff := cmp.Diff([]string{"inline", "away", far["long"]}, got); diff != "" {
		t.Error(diff)
	}
	if end := find[event.ToolEnded](b.store.only().records(false)); string(b.store.only().blobs[end[0].Shell.FullBlob]) != "away" {
		t.Errorf("the whole output is %q", end[0].Shell.FullBlob)
	}
}

// TestImportRefused: what is no history makes no session.
func TestImportRefused(t *testing.T) {
	broken := errors.New("the file cannot be read")
	turn := event.TurnStarted{Prompt: "p"}
	for name, c := range map[string]struct {
		records iter.Seq2[event.Record, error]
		want    error // nil: any
	}{
		"an error": {func(yield func(event.Record, error) bool) { yield(event.Record{}, broken) }, broken},
		"an error later": {func(yield func(event.Record, error) bool) {
			_ = yield(event.Record{Event: person("x")}, nil) && yield(event.Record{}, broken)
		}, broken},
		"no event":                  {foreign(person("x"), nil), nil},
		"a second creation":         {foreign(event.SessionCreated{}), nil},
		"a delta":                   {foreign(event.TextDelta{Text: "x"}), nil},
		"a head to come":            {foreign(event.Branched{Head: 3}, person("x")), nil},
		"itself as head":            {foreign(event.Branched{Head: 2}), nil},
		"kept messages to come":     {foreign(event.Compacted{KeptFrom: 9}), nil},
		"a label to come":           {foreign(event.Labelled{Target: 2}), nil},
		"an end without turn":       {foreign(event.TurnEnded{}), nil},
		"a turn in a turn":          {foreign(turn, turn), nil},
		"an open call at the end":   {foreign(turn, answered("a", "c"), ranCall("c", "")[0], event.TurnEnded{}), nil},
		"an open call at the step":  {foreign(turn, event.StepStarted{Step: 1}, answered("a", "c"), ranCall("c", "")[0], event.StepEnded{Step: 1}), nil},
		"an open step at the end":   {foreign(turn, event.StepStarted{Step: 1}, event.TurnEnded{}), nil},
		"a step in a step":          {foreign(event.StepStarted{Step: 1}, event.StepStarted{Step: 2}), nil},
		"an end of another step":    {foreign(event.StepStarted{Step: 1}, event.StepEnded{Step: 2}), nil},
		"a call that ends twice":    {foreign(append(ranCall("c", ""), ranCall("c", "")[2])...), nil},
		"a call that begins twice":  {foreign(ranCall("c", "")[0], ranCall("c", "")[0]), nil},
		"a start of no call":        {foreign(ranCall("c", "")[1]), nil},
		"a picture that is missing": {foreign(event.UserMessage{Blocks: []model.Block{model.ImageBlock(model.Image{Blob: "x"})}}), nil},
		"an output that is missing": {foreign(ranCall("c", "")[0], event.ToolEnded{Call: "c", OutputBlob: "x"}), nil},
		"an origin that is no JSON": {func(yield func(event.Record, error) bool) {
			yield(event.Record{Event: person("x"), Origin: jsontext.Value(`{"a"`)}, nil)
		}, nil},
		"a turn without id": {func(yield func(event.Record, error) bool) { yield(event.Record{Event: turn}, nil) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			h := b.host()
			s, err := h.Import(t.Context(), NewSession{ID: "s", Workspace: t.TempDir()}, c.records, nil, b.options())
			if s != nil || err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("Import = %v, %v", s, err)
			}
			if _, err := h.Session("s"); !errors.Is(err, ErrNoSession) || len(b.store.journals) > 0 {
				t.Errorf("the session is open (%v), %d journals are left", err, len(b.store.journals))
			}
		})
	}
}

// TestImportExists: an id is taken once, by a session that is open or one on disk.
func TestImportExists(t *testing.T) {
	b := newBench(t, nil)
	s := importOf(t, b, foreign(person("first")), nil)
	for _, h := range []*Host{s.host, b.host()} {
		_, err := h.Import(t.Context(), NewSession{ID: s.ID(), Workspace: t.TempDir()}, foreign(person("other")), nil, b.options())
		if !errors.Is(err, ErrExists) {
			t.Errorf("Import = %v", err)
		}
	}
	if n := len(b.store.only().lines); n != 2 {
		t.Errorf("%d records", n)
	}
}

// TestImportCancelled: the caller cancels the import.
func TestImportCancelled(t *testing.T) {
	b := newBench(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	records := func(yield func(event.Record, error) bool) {
		for i := range 1000 {
			if i == 500 {
				cancel()
			}
			if !yield(event.Record{Event: person("x")}, nil) {
				return
			}
		}
		t.Error("all was read")
	}
	if _, err := b.host().Import(ctx, NewSession{Workspace: t.TempDir()}, records, nil, b.options()); !errors.Is(err, context.Canceled) {
		t.Errorf("Import = %v", err)
	}
	if len(b.store.journals) > 0 {
		t.Error("a journal is left")
	}
}

package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// TestHeir is rules 1 to 4 after a kill: a fresh process opens the session at any moment of
// its life, closes what was open, and the next prompt works. The moments are every length
// of the journal of a turn that has everything in it.
func TestHeir(t *testing.T) {
	work := workTool(func(_ context.Context, hooks tool.Hooks, _ string) tool.Result {
		_, err := hooks.Ask(context.Background(), []event.Question{{Text: "Sure?"}})
		return tool.Result{Text: "done", IsError: err != nil}
	})
	b := newBench(t, []fakeTool{lookTool(), work},
		call(toolCall("c", "look", `{}`), toolCall("d", "work", `{}`)), say("finished"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Approvals = ApproveEveryCall{} })
	detach := s.Attach(ClientInfo{}).Detach
	defer detach()
	ended(t, turnOf(t, s, "go", func(rec event.Record) {
		switch e := rec.Event.(type) {
		case event.ApprovalAsked:
			if err := s.anyClient().Answer(e.ID, Decision{Allow: true}); err != nil {
				t.Error(err)
			}
		case event.QuestionAsked:
			if err := s.anyClient().AnswerQuestion(e.ID, [][]string{{"yes"}}); err != nil {
				t.Error(err)
			}
		}
	}))
	whole := b.store.only().lines
	for n := 1; n <= len(whole); n++ {
		heir := newBench(t, []fakeTool{lookTool(), work}, say("again"))
		heir.store.journals[s.ID()] = &memJournal{store: heir.store, id: s.ID(), lines: slices.Clone(whole[:n]), blobs: map[string][]byte{}}
		got, err := heir.host().Open(t.Context(), s.ID(), heir.options())
		if err != nil {
			t.Fatalf("after %d records: %v", n, err)
		}
		if got.State().Turn != "" {
			t.Errorf("after %d records: the turn is still open", n)
		}
		turn := turnOf(t, got, "again", nil)
		ended(t, turn)
		checkBalanced(t, heir.store.only().records(false))
		checkResults(t, n, whole[:n], heir.requests()[0].Messages)
		if err := got.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestAcknowledgedIsOnDisk is rule 4: what was accepted, or may have had effects, survives
// the loss of everything that was not synced.
func TestAcknowledgedIsOnDisk(t *testing.T) {
	var b *bench
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
		if on := find[event.ToolStarted](b.store.only().records(true)); len(on) != 1 {
			t.Error("the tool runs and its start is not on disk")
		}
		return tool.Result{Text: "done"}
	})
	b = newBench(t, []fakeTool{work}, call(toolCall("c", "work", `{}`)), func(ctx context.Context, r *modelRequest, y yieldFunc) {
		if on := find[event.ToolEnded](b.store.only().records(true)); len(on) != 1 {
			t.Error("the tool has ended and that is not on disk")
		}
		say("ok")(ctx, r, y)
	})
	s := b.session(t, nil)
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	if on := find[event.UserMessage](b.store.only().records(true)); len(on) != 1 {
		t.Error("the prompt is accepted and not on disk")
	}
	untilEnd(t, records, nil)
	if on := find[event.TurnEnded](b.store.only().records(true)); len(on) != 1 {
		t.Error("the turn has ended and that is not on disk")
	}
}

// TestBrokenJournal: when the journal cannot be written the turn fails, tools with effects do not run, prompts are refused, and nothing
// is lost once there is room again.
func TestBrokenJournal(t *testing.T) {
	needsDisk(t) // a deferred store that refuses records has the turn wait: TestFullStore
	ran := false
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result { ran = true; return tool.Result{Text: "done"} })
	full := errors.New("no space left on device")
	var b *bench
	b = newBench(t, []fakeTool{lookTool(), work},
		func(ctx context.Context, r *modelRequest, y yieldFunc) {
			b.store.setBroken(full)
			call(toolCall("c", "look", `{}`), toolCall("d", "work", `{}`))(ctx, r, y)
		}, say("later"))
	s := b.session(t, nil)
	turn := turnOf(t, s, "go", nil)
	if end := turn[len(turn)-1].Event.(event.TurnEnded); end.Reason != event.TurnFailed || end.Failure.Kind != FailUnsaved || end.Failure.Message != "the session cannot be saved: no space left on device" {
		t.Errorf("end = %+v", end)
	}
	if ran {
		t.Error("a tool with effects ran although its start could not be recorded")
	}
	if n := find[event.Notice](turn); len(n) != 1 || n[0].Code != NoticeUnsaved {
		t.Errorf("notices = %+v", n)
	}
	if _, err := s.Prompt(t.Context(), Prompt{Text: "more"}); !errors.Is(err, ErrUnsaved) {
		t.Errorf("a prompt that cannot be saved: %v", err)
	}
	b.store.setBroken(nil)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "more"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	stored := b.store.only().records(false)
	checkBalanced(t, stored)
	if got := len(find[event.TurnEnded](stored)); got != 2 {
		t.Errorf("%d turn ends in the journal, want 2", got)
	}
}

// TestNewerJournal: what a newer program wrote is not guessed at.
func TestNewerJournal(t *testing.T) {
	b := newBench(t, nil)
	line, err := event.Record{Seq: 1, Event: event.SessionCreated{Version: event.Version + 1, ID: "s", Workspace: t.TempDir()}}.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	b.store.journals["s"] = &memJournal{store: b.store, id: "s", lines: [][]byte{line}}
	if _, err := b.host().Open(t.Context(), "s", b.options()); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("error = %v", err)
	}
	if b.store.journals["s"].leased {
		t.Error("the lease is not given back")
	}
}

// TestSameBytes is rule 12.
func TestSameBytes(t *testing.T) {
	dir := t.TempDir()
	var runs [2]string
	for i := range runs {
		b := newBench(t, []fakeTool{lookTool()}, call(toolCall("", "look", `{}`)), say("a", "b"))
		s, err := b.host().Create(t.Context(), NewSession{Workspace: dir, Settings: event.Settings{Mode: string(approval.FullAccess)}}, b.options())
		if err != nil {
			t.Fatal(err)
		}
		ended(t, turnOf(t, s, "go", nil))
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, rec := range b.store.only().records(false) {
			if e, ok := rec.Event.(event.ToolEnded); ok {
				e.Ran = 0 // the only thing that is measured
				rec.Event = e
			}
			line, _ := rec.AppendJSON(nil)
			runs[i] += string(line) + "\n"
		}
	}
	if runs[0] != runs[1] {
		t.Errorf("two runs of one script differ:\n%s\n%s", runs[0], runs[1])
	}
}

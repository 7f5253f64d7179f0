package engine

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// forkOf forks a session in its own host, or in another that has the same store.
func forkOf(t *testing.T, b *bench, h *Host, source *Session, before uint64) *Session {
	t.Helper()
	fork, err := h.Fork(t.Context(), source.ID(), before, NewSession{}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := fork.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return fork
}

// checkFork checks that all of a fork is on disk, and its beginning is the source's.
func checkFork(t *testing.T, b *bench, source []event.Record, fork *Session, common int) {
	t.Helper()
	stored := b.store.journals[fork.ID()].records(true)
	if uint64(len(stored)) != fork.State().Head {
		t.Errorf("%d of %d records are on disk", len(stored), fork.State().Head)
	}
	if len(stored) < common {
		t.Fatalf("the fork has %d records, want %d of the source", len(stored), common)
	}
	if diff := cmp.Diff(source[1:common], stored[1:common]); diff != "" {
		t.Errorf("records of source and fork:\n%s", diff)
	}
	made, ok := stored[0].Event.(event.SessionCreated)
	from := source[0].Event.(event.SessionCreated)
	if !ok || made.ID != fork.ID() || made.Parent != from.ID || made.Workspace != from.Workspace || stored[0].Time.IsZero() {
		t.Errorf("record 1 = %+v", made)
	}
	checkBalanced(t, stored)
	if st := fork.State(); st.Turn != "" || len(st.Steering)+len(st.FollowUps) > 0 {
		t.Errorf("the fork is not at rest: %+v", st)
	}
}

// TestForkBeforePrompt: the fork goes on where the prompt was said, the source is left alone,
// whether it is open in this host, in another, or in none.
func TestForkBeforePrompt(t *testing.T) {
	needsDisk(t)
	for _, where := range []string{"here", "elsewhere", "nowhere"} {
		t.Run(where, func(t *testing.T) {
			b := newBench(t, []fakeTool{lookTool()}, say("one"), call(toolCall("c", "look", `{}`)), say("two"), say("three"))
			h := b.host()
			s, err := h.Create(t.Context(), NewSession{Workspace: t.TempDir(), Settings: event.Settings{Model: "test", Mode: "full_access"}}, b.options())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close(context.Background()) })
			ended(t, turnOf(t, s, "first", nil))
			if err := s.Change(func(settings *event.Settings) { settings.Name = "mine"; settings.Instructions = "be brief" }); err != nil {
				t.Fatal(err)
			}
			second := turnOf(t, s, "second", nil)
			if err := s.Change(func(settings *event.Settings) { settings.Instructions = "be long" }); err != nil {
				t.Fatal(err)
			}
			source := b.store.journals[s.ID()].records(false)
			switch where {
			case "nowhere":
				if err := s.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
				fallthrough
			case "elsewhere":
				b.hex += 100
				h = b.host()
			}
			fork := forkOf(t, b, h, s, last[event.UserMessage](second))
			common := int(last[event.TurnStarted](second)) - 1
			for i, rec := range source {
				if e, ok := rec.Event.(event.SessionChanged); ok {
					e.Settings.Name = ""
					source[i].Event = e
				}
			}
			checkFork(t, b, source, fork, common)
			if st := fork.State(); st.Head != uint64(common) || st.Settings.Name != "" || st.Settings.Instructions != "be brief" || st.Messages != 2 {
				t.Errorf("state = %+v, want head %d", st, common)
			}
			ended(t, turnOf(t, fork, "other", nil))
			equal(t, "history", said(b.requests()[3].Messages), []string{"first", "other"})
			if n := len(b.store.journals[s.ID()].lines); n != len(source) {
				t.Errorf("the source has %d records, had %d", n, len(source))
			}
		})
	}
}

// TestForkUnsaved: what the journal of the source does not have yet is in the fork.
func TestForkUnsaved(t *testing.T) {
	b := newBench(t, nil, say("one"))
	s := b.session(t, nil)
	if err := s.Change(func(settings *event.Settings) { settings.Instructions = "be brief" }); err != nil {
		t.Fatal(err)
	}
	fork := forkOf(t, b, s.host, s, 0)
	if len(b.store.journals) != 1 || fork.State().Head != 2 || fork.State().Settings.Instructions != "be brief" {
		t.Errorf("%d journals, state %+v", len(b.store.journals), fork.State())
	}
	ended(t, turnOf(t, fork, "first", nil))
}

// TestForkInTurn: a clone of a session that works is one that was interrupted there; its
// queues are empty.
func TestForkInTurn(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
		close(begun)
		<-release
		return tool.Result{Text: "done"}
	})
	b := newBench(t, []fakeTool{lookTool(), work},
		call(toolCall("c", "look", `{}`), toolCall("d", "work", `{}`)), say("two"), say("three"), say("again"))
	s := b.session(t, nil)
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	<-begun
	if err := s.Steer(t.Context(), Prompt{Text: "left"}); err != nil {
		t.Fatal(err)
	}
	if err := s.FollowUp(t.Context(), Prompt{Text: "then"}); err != nil {
		t.Fatal(err)
	}
	clone := forkOf(t, b, s.host, s, 0)
	common := int(s.State().Head)
	close(release)
	turn := untilEnd(t, records, nil)
	checkFork(t, b, b.store.journals[s.ID()].records(false), clone, common)
	stored := b.store.journals[clone.ID()].records(false)
	end, ok := find[event.TurnEnded](stored), false
	for _, e := range find[event.ToolEnded](stored) {
		ok = ok || e.Call == "d" && e.Outcome == event.OutcomeUnknown
	}
	if len(end) != 1 || end[0].Reason != event.TurnInterrupted || !ok {
		t.Errorf("the turn ends as %+v; the call has an end: %t", end, ok)
	}
	if st := s.State(); st.Messages != 6 {
		t.Errorf("the source has %d messages", st.Messages)
	}

	// Before the steer: the turn is cut in its middle, and the follow-up is not waiting.
	cut := forkOf(t, b, s.host, s, second[event.UserMessage](turn))
	checkFork(t, b, b.store.journals[s.ID()].records(false), cut, int(second[event.UserMessage](turn))-1)
	ended(t, turnOf(t, cut, "again", nil))
	requests := b.requests()
	equal(t, "history", said(requests[len(requests)-1].Messages), []string{"go", "again"})
}

// second returns the number of the second record with an E.
func second[E event.Event](records []event.Record) uint64 {
	n := 0
	for _, rec := range records {
		if _, ok := rec.Event.(E); ok {
			if n++; n == 2 {
				return rec.Seq
			}
		}
	}
	return 0
}

// TestForkAfterCompaction: the fork's history begins with the summary, and its head can go
// after it.
func TestForkAfterCompaction(t *testing.T) {
	b := newBench(t, nil, say("one"), say("summary"), say("two"), say("three"), say("four"))
	s := b.session(t, nil)
	first := turnOf(t, s, "first", nil)
	wait, err := s.Compact(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wait(); err != nil {
		t.Fatal(err)
	}
	turn := turnOf(t, s, "second", nil)
	fork := forkOf(t, b, s.host, s, last[event.UserMessage](turn))
	ended(t, turnOf(t, fork, "third", nil))
	equal(t, "history", said(b.requests()[3].Messages), []string{summarised("summary", "first"), "third"})
	if _, err := fork.Branch(last[event.AssistantMessage](first)); err != nil {
		t.Fatal(err)
	}
	ended(t, turnOf(t, fork, "fourth", nil))
	equal(t, "history", said(b.requests()[4].Messages), []string{"first", "fourth"})
}

// TestForkOfBranch: a prompt that has left the source's history can be forked all the same.
func TestForkOfBranch(t *testing.T) {
	b := newBench(t, nil, say("one"), say("two"), say("three"), say("four"))
	s := b.session(t, nil)
	first := turnOf(t, s, "first", nil)
	gone := turnOf(t, s, "second", nil)
	if _, err := s.Branch(last[event.AssistantMessage](first)); err != nil {
		t.Fatal(err)
	}
	kept := turnOf(t, s, "third", nil)
	for i, before := range []uint64{last[event.UserMessage](gone), last[event.UserMessage](kept)} {
		if got := forkOf(t, b, s.host, s, before).State(); got.Messages != 2 {
			t.Errorf("fork %d has %d messages", i, got.Messages)
		}
	}
	clone := forkOf(t, b, s.host, s, 0)
	ended(t, turnOf(t, clone, "fourth", nil))
	equal(t, "history", said(b.requests()[3].Messages), []string{"first", "third", "fourth"})
}

// TestForkBlobs: pictures and long outputs come along.
func TestForkBlobs(t *testing.T) {
	long := strings.Repeat("long ", outputCap/4)
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
		return tool.Result{
			Text: long, Images: []model.Image{{MIME: "image/png", Data: []byte("drawn")}},
			Shell: &event.ShellRun{Command: "x"}, Full: []byte("full"),
		}
	})
	b := newBench(t, []fakeTool{work}, call(toolCall("c", "work", `{}`)), say("two"), say("three"))
	s := b.session(t, nil)
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "look", Images: []model.Image{{MIME: "image/png", Data: []byte("shown")}}}); err != nil {
		t.Fatal(err)
	}
	ended(t, untilEnd(t, records, nil))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	source := b.store.journals[s.ID()]
	fork := forkOf(t, b, s.host, s, 0)
	checkFork(t, b, source.records(false), fork, len(source.lines))
	if got := b.store.journals[fork.ID()].blobs; !cmp.Equal(got, source.blobs) || len(got) != 4 {
		t.Errorf("%d blobs, want %d", len(got), len(source.blobs))
	}
	clear(source.blobs)
	ended(t, turnOf(t, fork, "again", nil))
	messages := b.requests()[2].Messages
	if got := messages[0].Blocks[1].Image; !bytes.Equal(got.Data, []byte("shown")) {
		t.Errorf("the picture is %+v", got)
	}
	if got := messages[2].Blocks[0].Result; !strings.HasPrefix(got.Text, long) || !bytes.Equal(got.Images[0].Data, []byte("drawn")) {
		t.Errorf("the result has %d bytes, and %+v", len(got.Text), got.Images)
	}
}

func TestForkElsewhere(t *testing.T) {
	b := newBench(t, nil, say("one"))
	s := b.session(t, nil)
	ended(t, turnOf(t, s, "first", nil))
	dir, err := Workspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	when := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	fork, err := s.host.Fork(t.Context(), s.ID(), 0, NewSession{
		ID: "f", Workspace: dir, Settings: event.Settings{Model: "test", Name: "new"}, Created: when,
	}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	defer fork.Close(t.Context())
	st := fork.State()
	if st.ID != "f" || st.Workspace != dir || st.Dir() != dir || st.Settings.Name != "new" || !st.Summary.Created.Equal(when) || st.Parent != s.ID() {
		t.Errorf("state = %+v", st)
	}
}

// TestForkRefused: nothing is left of a fork that cannot be.
func TestForkRefused(t *testing.T) {
	b := newBench(t, nil, say("one"))
	s := b.session(t, nil)
	turn := turnOf(t, s, "first", nil)
	before := last[event.UserMessage](turn)
	full := errors.New("no space left on device")
	for _, c := range []struct {
		name   string
		source event.SessionID
		before uint64
		n      NewSession
		want   error
	}{
		{"no session", "none", 0, NewSession{}, ErrNoSession},
		{"no record", s.ID(), s.State().Head + 1, NewSession{}, ErrBadHead},
		{"no prompt", s.ID(), last[event.AssistantMessage](turn), NewSession{}, ErrBadHead},
		{"its own id", s.ID(), before, NewSession{ID: s.ID()}, ErrExists},
		{"an id on disk", s.ID(), before, NewSession{ID: "there"}, ErrExists},
		{"a disk that is full", s.ID(), 0, NewSession{ID: "full"}, full},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.store.journals["there"] = &memJournal{store: b.store, id: "there"}
			if c.want == full {
				b.store.breakNext(full)
			}
			fork, err := s.host.Fork(t.Context(), c.source, c.before, c.n, b.options())
			if !errors.Is(err, c.want) || fork != nil {
				t.Errorf("Fork = %v, %v, want %v", fork, err, c.want)
			}
			if _, err := s.host.Session(c.n.ID); c.n.ID != "" && c.n.ID != s.ID() && !errors.Is(err, ErrNoSession) {
				t.Errorf("the session is open: %v", err)
			}
			if len(b.store.journals) != 2 {
				t.Errorf("journals: %v", slices.Collect(maps.Keys(b.store.journals)))
			}
		})
	}
	if _, err := s.host.Fork(t.Context(), "there", 0, NewSession{}, b.options()); err == nil {
		t.Error("a journal without records was forked")
	}
}

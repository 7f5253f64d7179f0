package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// A grower makes a session out of records at random, and knows by brute force what its
// history is.
type grower struct {
	t       *rapid.T
	host    *Host
	options Options
	s       *Session
	log     []event.Record
	calls   int
}

func (g *grower) append(events ...event.Event) {
	if err := g.s.lockToWrite(); err != nil {
		g.t.Fatal(err)
	}
	defer g.s.unlock()
	head := g.s.fold.State.Head
	g.s.log.Append("", events...)
	for i, e := range events {
		g.log = append(g.log, event.Record{Seq: head + uint64(i) + 1, Event: e})
	}
}

func (g *grower) text() []model.Block {
	return []model.Block{model.TextBlock(fmt.Sprint("text ", len(g.log)))}
}

func (g *grower) user() {
	g.append(event.UserMessage{ID: event.PromptID(fmt.Sprint("p", len(g.log))), Via: event.ByPrompt, Blocks: g.text()})
}

func (g *grower) assistant() {
	e := event.AssistantMessage{Blocks: g.text(), Usage: model.Usage{Input: rapid.IntRange(0, 50).Draw(g.t, "input"), Output: 3}}
	if rapid.Bool().Draw(g.t, "partial") {
		e.Partial = true
		if rapid.Bool().Draw(g.t, "silent") {
			e.Blocks = nil
		}
		g.append(e)
		return
	}
	var ran []event.Event
	for range rapid.IntRange(0, 2).Draw(g.t, "calls") {
		g.calls++
		id := fmt.Sprint("c", g.calls)
		e.Blocks = append(e.Blocks, model.Block{Kind: model.KindToolCall, Call: &model.Call{ID: id, Name: "look", Input: []byte("{}")}})
		if rapid.Bool().Draw(g.t, "ran") {
			ran = append(ran, event.ToolIntended{Call: event.CallID(id), Name: "look", Input: []byte("{}")},
				event.ToolEnded{Call: event.CallID(id), Outcome: event.Succeeded, Output: "result of " + id})
		}
	}
	g.append(e)
	g.append(ran...)
}

func (g *grower) command() {
	g.append(event.CommandRan{Shell: event.ShellRun{Command: "ls"}, Output: fmt.Sprint(len(g.log)), Hidden: rapid.Bool().Draw(g.t, "hidden")})
}

func (g *grower) compact() {
	e := event.Compacted{Summary: fmt.Sprint("summary ", len(g.log)), Usage: model.Usage{Output: 1}}
	entries := g.s.fold.Entries
	if n := rapid.IntRange(0, len(entries)).Draw(g.t, "kept from"); n > 0 {
		e.KeptFrom = entries[n-1].Seq
	}
	g.append(e)
}

func (g *grower) other() {
	g.append(event.Notice{Level: event.Info, Code: "x", Text: "y"}, event.Labelled{Target: 1, Label: "l"}, event.Foreign{Format: "f"})
}

// branch goes anywhere, and is refused where there is no node.
func (g *grower) branch() {
	head := uint64(rapid.IntRange(0, len(g.log)+1).Draw(g.t, "head"))
	before := g.messages()
	removed, err := g.s.Branch(head)
	if head != 0 && (head > uint64(len(g.log)) || !isNode(g.log[head-1].Event)) {
		if !errors.Is(err, ErrBadHead) {
			g.t.Fatalf("Branch(%d) = %v", head, err)
		}
		return
	}
	if err != nil {
		g.t.Fatalf("Branch(%d) = %v", head, err)
	}
	g.log = append(g.log, event.Record{Seq: uint64(len(g.log)) + 1, Event: event.Branched{Head: head, Removed: removed}})
	if entries := bruteForce(g.log); removed > len(before) || len(entries) < len(before)-removed {
		g.t.Errorf("%d messages before, %d removed, %d now", len(before), removed, len(entries))
	}
}

func (g *grower) messages() []session.Entry {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	return slices.Clone(g.s.fold.Entries)
}

// reopen closes the session and opens it again: nothing but the sizes that only the running
// process knows may change.
func (g *grower) reopen() {
	if err := g.s.Save(); err != nil {
		g.t.Fatal(err)
	}
	before, messages := g.s.State(), g.s.fold.Messages(session.NeverRan)
	if err := g.s.Close(context.Background()); err != nil {
		g.t.Fatal(err)
	}
	s, err := g.host.Open(context.Background(), g.s.ID(), g.options)
	if err != nil {
		g.t.Fatal(err)
	}
	g.s = s
	if diff := cmp.Diff(before, s.State()); diff != "" {
		g.t.Errorf("state before closing and after opening:\n%s", diff)
	}
	if diff := cmp.Diff(messages, s.fold.Messages(session.NeverRan)); diff != "" {
		g.t.Errorf("history before closing and after opening:\n%s", diff)
	}
}

func (g *grower) check() {
	want := bruteForce(g.log)
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	var got []string
	for _, e := range g.s.fold.Entries {
		got = append(got, fmt.Sprint(e.Seq, " ", e.Message.Text()))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		g.t.Fatalf("history (-want +got):\n%s", diff)
	}
	bytes := 0
	for _, e := range g.s.fold.Entries {
		bytes += g.s.fold.EntryBytes(e)
	}
	if g.s.fold.Bytes != bytes || g.s.fold.State.Messages != len(got) || g.s.fold.Incomplete {
		g.t.Fatalf("%d bytes, want %d; %d messages, want %d", g.s.fold.Bytes, bytes, g.s.fold.State.Messages, len(got))
	}
	for id := range g.s.fold.Results {
		if !slices.ContainsFunc(g.s.fold.Entries, func(e session.Entry) bool {
			return slices.ContainsFunc(e.Message.Calls(), func(c model.Call) bool { return c.ID == string(id) })
		}) {
			g.t.Fatalf("the result of %s is kept, and no message asks for it", id)
		}
	}
}

func isNode(e event.Event) bool {
	switch e.(type) {
	case event.UserMessage, event.AssistantMessage, event.Compacted, event.CommandRan:
		return true
	}
	return false
}

// bruteForce follows the definition: each node hangs on the head before it; the history is
// what stands on the way from the root to the head.
func bruteForce(log []event.Record) (entries []string) {
	parents, head := map[uint64]uint64{}, uint64(0)
	for _, rec := range log {
		if e, ok := rec.Event.(event.Branched); ok {
			head = e.Head
		} else if isNode(rec.Event) {
			parents[rec.Seq], head = head, rec.Seq
		}
	}
	var path []uint64
	for ; head != 0; head = parents[head] {
		path = append(path, head)
	}
	slices.Reverse(path)
	var seqs []uint64
	texts := map[uint64]string{}
	for _, seq := range path {
		switch e := log[seq-1].Event.(type) {
		case event.Compacted:
			kept := seqs[len(seqs):]
			if i := slices.Index(seqs, e.KeptFrom); i >= 0 {
				kept = seqs[i:]
			}
			seqs = append([]uint64{seq}, kept...)
			texts[seq] = session.CompactedText(e)
			continue
		case event.UserMessage:
			texts[seq] = e.Blocks[0].Text
		case event.AssistantMessage:
			if len(e.Blocks) == 0 {
				continue
			}
			texts[seq] = e.Blocks[0].Text
		case event.CommandRan:
			if e.Hidden {
				continue
			}
			texts[seq] = session.CommandText(e)
		}
		seqs = append(seqs, seq)
	}
	for _, seq := range seqs {
		entries = append(entries, fmt.Sprint(seq, " ", texts[seq]))
	}
	return entries
}

// TestTree is the law of the history: whatever is appended and wherever the head goes, it is
// what the definition says, also in a process that opens the session later.
func TestTree(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		b := newBench(nil, []fakeTool{lookTool()})
		g := &grower{t: t, host: b.host(), options: b.options()}
		s, err := g.host.Create(context.Background(), NewSession{Workspace: dir, Settings: event.Settings{Model: "test"}}, g.options)
		if err != nil {
			t.Fatal(err)
		}
		g.s, g.log = s, []event.Record{{Seq: 1, Event: event.SessionCreated{}}}
		defer func() {
			if err := g.s.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		steps := []func(){g.user, g.user, g.assistant, g.assistant, g.command, g.compact, g.other, g.branch, g.branch, g.reopen}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			rapid.SampledFrom(steps).Draw(t, "step")()
			g.check()
		}
		g.reopen()
		g.check()
	})
}

// TestBranchSideways: the head moves to a message that had left the history, and its calls and
// their results are in the history again.
func TestBranchSideways(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, say("one"), call(toolCall("c", "look", `{}`)), say("two"), say("three"), say("four"))
	s := b.session(t, nil)
	first := turnOf(t, s, "first", nil)
	second := turnOf(t, s, "second", nil)
	if n, err := s.Branch(last[event.AssistantMessage](first)); err != nil || n != 3 {
		t.Fatalf("back: %d, %v", n, err)
	}
	ended(t, turnOf(t, s, "third", nil))
	if n, err := s.Branch(last[event.AssistantMessage](second)); err != nil || n != 2 {
		t.Fatalf("sideways: %d, %v", n, err)
	}
	if got := s.State().Messages; got != 5 {
		t.Errorf("%d messages", got)
	}
	ended(t, turnOf(t, s, "fourth", nil))
	requests := b.requests()
	equal(t, "history", said(requests[len(requests)-1].Messages), []string{"first", "second", "fourth"})
	for _, m := range requests[len(requests)-1].Messages {
		if m.Role == model.Tool && m.Blocks[0].Result.Text != "seen" {
			t.Errorf("the result is %q", m.Blocks[0].Result.Text)
		}
	}
}

// TestBranchBehindCompaction: a compaction that the head goes back after has not happened.
func TestBranchBehindCompaction(t *testing.T) {
	b := newBench(t, nil, say("one"), say("two"), say("summary"), say("three"))
	s := b.session(t, nil)
	ended(t, turnOf(t, s, "first", nil))
	second := turnOf(t, s, "second", nil)
	wait, err := s.Compact(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wait(); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Branch(last[event.UserMessage](second)); err != nil || n == 0 {
		t.Fatalf("back: %d, %v", n, err)
	}
	ended(t, turnOf(t, s, "third", nil))
	equal(t, "history", said(b.requests()[3].Messages), []string{"first", "second", "third"})
}

// TestForgetAfterCompaction: an interrupted turn that is forgotten leaves the history as it
// was before, although it was compacted meanwhile.
func TestForgetAfterCompaction(t *testing.T) {
	hanging := make(chan struct{})
	b := newBench(t, nil, say("one"), say("two"), say("summary"), hang("", hanging), say("three"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Plugins, o.Compact = []Plugin{forgetful{}}, WindowShares{} })
	ended(t, turnOf(t, s, "first", nil))
	ended(t, turnOf(t, s, "second", nil))
	s.mu.Lock()
	s.opts.Compact = WindowShares{At: 1e-9, Drop: 0.4}
	s.mu.Unlock()
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "third"}); err != nil {
		t.Fatal(err)
	}
	<-hanging
	s.Interrupt()
	if n := len(find[event.Compacted](untilEnd(t, records, nil))); n != 1 {
		t.Fatalf("%d compactions", n)
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.opts.Compact = WindowShares{}
	s.mu.Unlock()
	ended(t, turnOf(t, s, "fourth", nil))
	equal(t, "history", said(b.requests()[4].Messages), []string{"first", "second", "fourth"})
}

// TestBranchUnreadable: where the journal cannot be read, nothing changes.
func TestBranchUnreadable(t *testing.T) {
	b := newBench(t, nil, say("one"), say("two"))
	s := b.session(t, nil)
	first := turnOf(t, s, "first", nil)
	ended(t, first)
	if _, err := s.Branch(0); err != nil {
		t.Fatal(err)
	}
	ended(t, turnOf(t, s, "second", nil))
	j := b.store.only()
	b.store.mu.Lock()
	whole := j.lines
	j.lines = append(slices.Clone(whole[:1]), []byte("{}"))
	b.store.mu.Unlock()
	head := s.State().Head
	if _, err := s.Branch(last[event.AssistantMessage](first)); err == nil || s.State().Head != head || s.State().Messages != 2 {
		t.Errorf("error %v, head %d, want %d", err, s.State().Head, head)
	}
	b.store.mu.Lock()
	j.lines = whole
	b.store.mu.Unlock()
}

// last returns the number of the last record with an E.
func last[E event.Event](records []event.Record) (seq uint64) {
	for _, rec := range records {
		if _, ok := rec.Event.(E); ok {
			seq = rec.Seq
		}
	}
	return seq
}

func TestLabel(t *testing.T) {
	b := newBench(t, nil, say("one"))
	s := b.session(t, nil)
	turn := turnOf(t, s, "first", nil)
	if err := s.Log().Label(last[event.UserMessage](turn), "here"); err != nil {
		t.Fatal(err)
	}
	for _, seq := range []uint64{0, s.State().Head + 1} {
		if err := s.Log().Label(seq, "nowhere"); !errors.Is(err, ErrBadHead) {
			t.Errorf("Label(%d) = %v", seq, err)
		}
	}
	if err := s.Log().AwaitStored(t.Context()); err != nil {
		t.Fatal(err)
	}
	stored := b.store.only().records(false)
	if got := find[event.Labelled](stored); len(got) != 1 || got[0] != (event.Labelled{Target: 3, Label: "here"}) {
		t.Errorf("labels = %+v", got)
	}
}

// BenchmarkBranch goes to and fro between two paths of a long history.
func BenchmarkBranch(b *testing.B) {
	bench := newBench(b, nil)
	dir, err := os.MkdirTemp("", "engine-test-")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := bench.host().Create(b.Context(), NewSession{Workspace: dir}, bench.options())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(b.Context())
	var ends [2]uint64
	for i := range ends {
		if _, err := s.Branch(0); err != nil {
			b.Fatal(err)
		}
		s.mu.Lock()
		for range 2000 {
			s.log.Append("", event.UserMessage{Blocks: []model.Block{model.TextBlock("hello")}})
		}
		ends[i] = s.fold.Head()
		s.mu.Unlock()
	}
	if err := s.Save(); err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		if _, err := s.Branch(ends[i%2]); err != nil {
			b.Fatal(err)
		}
	}
}

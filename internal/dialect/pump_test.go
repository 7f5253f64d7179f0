package dialect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/workspace"
)

// noModels is enough for sessions that are never asked anything.
type noModels struct{}

func (noModels) Default() string { return "" }

func (noModels) Names() []string { return nil }

func (noModels) Discover(context.Context) []engine.Offer { return nil }

func (noModels) Resolve(string) (engine.Model, error) {
	return engine.Model{}, errors.New("there is no model")
}

func newSession(t *testing.T) *engine.Session {
	t.Helper()
	return newSessionOf(t, "", event.Settings{})
}

// newSessionOf returns a session of a profile.
func newSessionOf(t *testing.T, profile string, settings event.Settings) *engine.Session {
	t.Helper()
	store, err := file.Open(t.TempDir(), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	host := engine.NewHost(engine.Config{
		Store: store, Models: noModels{}, Tools: tool.ByName,
		Env: func(dir string) (*tool.Env, error) {
			w, err := workspace.Open(dir)
			return &tool.Env{Workspace: w}, err
		},
	})
	o := engine.Defaults()
	o.Profile = profile
	s, err := host.Create(t.Context(), engine.NewSession{Workspace: t.TempDir(), Settings: settings}, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rename makes one record.
func rename(t *testing.T, s *engine.Session, name string) {
	t.Helper()
	if err := s.Join(engine.ClientInfo{}).Change(func(settings *event.Settings) { settings.Name = name }); err != nil {
		t.Fatal(err)
	}
}

// newOutput returns an output, and what is written to it.
func newOutput() (*Output, *bytes.Buffer) {
	var written bytes.Buffer
	return OpenOutput(nil, &written, 1<<20, slog.New(slog.DiscardHandler)), &written
}

func renderNames(rec event.Record) [][]byte {
	if e, ok := rec.Event.(event.SessionChanged); ok {
		return [][]byte{fmt.Appendf(nil, "named %s", e.Settings.Name)}
	}
	return nil
}

// TestReplyKeepsItsPlace: a reply stands after every record that was there when it was
// given, however late those are rendered, and before every one that was not.
func TestReplyKeepsItsPlace(t *testing.T) {
	s := newSession(t)
	out, written := newOutput()
	pump := NewPump(s, out)
	head := s.State().Head
	pump.Skip(head)
	records := s.Log().Follow(t.Context(), head+1)

	pump.Reply([]byte("nothing to wait for"))
	rename(t, s, "a")
	pump.Reply([]byte("after a"), []byte("still after a"))
	pump.Reply([]byte("then"))
	rename(t, s, "b")
	rename(t, s, "c")
	pump.Reply([]byte("after c"))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := pump.Run(records, renderNames); err != nil {
		t.Fatal(err)
	}
	pump.Reply([]byte("after the end"))
	out.Close()
	want := "nothing to wait for|named a|after a|still after a|then|named b|named c|after c|after the end"
	if d := cmp.Diff(strings.Split(want, "|"), strings.Split(strings.TrimSpace(written.String()), "\n")); d != "" {
		t.Error(d)
	}
}

// TestRepliesAreNotLost: when the records end early, with an error, the replies that
// waited for them still go out.
func TestRepliesAreNotLost(t *testing.T) {
	s := newSession(t)
	out, written := newOutput()
	pump := NewPump(s, out)
	rename(t, s, "a")
	pump.Reply([]byte("reply"))
	broken := errors.New("the journal cannot be read")
	err := pump.Run(func(yield func(event.Record, error) bool) { yield(event.Record{}, broken) }, renderNames)
	if err != broken {
		t.Errorf("Run says %v", err)
	}
	out.Close()
	if written.String() != "reply\n" {
		t.Errorf("written was %q", written.String())
	}
}

// TestRepliesInOrder wants the replies of two pumps and of the connection in the order in
// which they were given, and records after the reply that they follow.
func TestRepliesInOrder(t *testing.T) {
	out, written := newOutput()
	replies := NewReplies(out)
	var runs [2]func() error
	for i, name := range []string{"a", "b"} {
		s := newSession(t)
		pump := NewPump(s, out)
		pump.Replies = replies
		head := s.State().Head
		pump.Skip(head)
		records := s.Log().Follow(t.Context(), head+1)
		rename(t, s, name)
		pump.Reply([]byte("reply " + name))
		replies.Post([]byte("direct " + name))
		rename(t, s, "later "+name)
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		runs[i] = func() error { return pump.Run(records, renderNames) }
	}
	second := make(chan error, 1)
	go func() { second <- runs[1]() }()
	if err := errors.Join(runs[0](), <-second); err != nil {
		t.Fatal(err)
	}
	out.Close()
	lines := strings.Split(strings.TrimSpace(written.String()), "\n")
	for _, order := range []string{
		"reply a|direct a|reply b|direct b", "named a|reply a|named later a", "named b|reply b|named later b",
	} {
		want := strings.Split(order, "|")
		got := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !slices.Contains(want, line) })
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
}

// TestReplySeesEarlierVerbs wants lines that are made when their place is reached to be made
// after the verbs whose replies come first, also those of another pump.
func TestReplySeesEarlierVerbs(t *testing.T) {
	out, written := newOutput()
	replies := NewReplies(out)
	newPump := func() *Pump {
		pump := NewPump(newSession(t), out)
		pump.Replies = replies
		pump.Skip(1)
		return pump
	}
	first, second := newPump(), newPump()
	value := "old" // guarded by the order of the replies
	first.Around(func() [][]byte {
		second.Later(func() [][]byte { return [][]byte{[]byte("second: " + value)} })
		value = "new"
		return [][]byte{[]byte("first")}
	})
	out.Close()
	if got, want := written.String(), "first\nsecond: new\n"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

// TestBegin wants lines before records that exist already, and replies that were given earlier before them.
func TestBegin(t *testing.T) {
	s := newSession(t)
	out, written := newOutput()
	pump := NewPump(s, out)
	head := s.State().Head
	records := s.Log().Follow(t.Context(), head+1)
	rename(t, s, "a")
	pump.Skip(head)
	pump.Begin()
	pump.Replies.Post([]byte("earlier"))
	pump.Begin([]byte("first"), []byte("second"))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := pump.Run(records, renderNames); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if got, want := written.String(), "earlier\nfirst\nsecond\nnamed a\n"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
	if n := pump.Rendered(); n != head+1 {
		t.Errorf("rendered up to %d, want %d", n, head+1)
	}
}

// TestAnswerBeforeWhatItCauses wants an answer before the records that its verb causes, also if
// another reply, which follows those records, was given during the verb.
func TestAnswerBeforeWhatItCauses(t *testing.T) {
	s := newSession(t)
	out, written := newOutput()
	pump := NewPump(s, out)
	head := s.State().Head
	pump.Skip(head)
	records := s.Log().Follow(t.Context(), head+1)
	rename(t, s, "a")
	shown := 0 // when the place of the lines is reached
	pump.AroundLater(func() func() [][]byte {
		rename(t, s, "b")
		pump.Reply([]byte("after b"))
		return func() [][]byte { return [][]byte{fmt.Appendf(nil, "answer after %d", shown)} }
	})
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := pump.Run(records, func(rec event.Record) [][]byte {
		lines := renderNames(rec)
		shown += len(lines)
		return lines
	})
	if err != nil {
		t.Fatal(err)
	}
	out.Close()
	want := "named a|answer after 1|named b|after b"
	if d := cmp.Diff(strings.Split(want, "|"), strings.Split(strings.TrimSpace(written.String()), "\n")); d != "" {
		t.Error(d)
	}
}

// TestRepliesWaitForTheVerb wants the answer of a verb before replies that are given while it runs,
// also if the verb causes no record.
func TestRepliesWaitForTheVerb(t *testing.T) {
	out, written := newOutput()
	pump := NewPump(newSession(t), out)
	pump.Skip(1)
	pump.Around(func() [][]byte {
		pump.Reply([]byte("meanwhile"))
		return [][]byte{[]byte("answer")}
	})
	func() {
		defer func() { _ = recover() }()
		pump.Around(func() [][]byte { panic("defect") })
	}()
	pump.Reply([]byte("after a panic"))
	out.Close()
	if got, want := written.String(), "answer\nmeanwhile\nafter a panic\n"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

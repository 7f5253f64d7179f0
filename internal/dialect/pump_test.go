package dialect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/wire"
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
	store, err := file.Open(t.TempDir(), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	host := engine.NewHost(engine.Config{
		Store: store, Models: noModels{}, Tools: tool.ByName,
		Env: func(workspace string) (*tool.Env, error) {
			w, err := tool.OpenWorkspace(workspace)
			return &tool.Env{Workspace: w}, err
		},
	})
	s, err := host.Create(t.Context(), engine.NewSession{Workspace: t.TempDir()}, engine.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rename makes one record.
func rename(t *testing.T, s *engine.Session, name string) {
	t.Helper()
	if err := s.Change(func(settings *event.Settings) { settings.Name = name }); err != nil {
		t.Fatal(err)
	}
}

func renderNames(rec event.Record) [][]byte {
	if e, ok := rec.Event.(event.SessionChanged); ok {
		return [][]byte{fmt.Appendf(nil, "named %s", e.Settings.Name)}
	}
	return nil
}

// TestReplyKeepsItsPlace: a reply stands behind every record that was there when it was
// given, however late those are rendered, and before every one that was not.
func TestReplyKeepsItsPlace(t *testing.T) {
	s := newSession(t)
	var written bytes.Buffer
	out := wire.NewOutbox(wire.NewWriter(&written), 1<<20)
	pump := NewPump(s, out)
	head := s.Head()
	pump.Skip(head)
	records := s.Follow(t.Context(), head+1)

	pump.Reply([]byte("nothing to wait for"))
	rename(t, s, "a")
	pump.Reply([]byte("behind a"), []byte("still behind a"))
	pump.Reply([]byte("then"))
	rename(t, s, "b")
	rename(t, s, "c")
	pump.Reply([]byte("behind c"))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := pump.Run(records, renderNames); err != nil {
		t.Fatal(err)
	}
	pump.Reply([]byte("behind the end"))
	out.Close()
	want := "nothing to wait for|named a|behind a|still behind a|then|named b|named c|behind c|behind the end"
	if d := cmp.Diff(strings.Split(want, "|"), strings.Split(strings.TrimSpace(written.String()), "\n")); d != "" {
		t.Error(d)
	}
}

// TestRepliesAreNotLost: when the records end early, with an error, the replies that
// waited for them still go out.
func TestRepliesAreNotLost(t *testing.T) {
	s := newSession(t)
	var written bytes.Buffer
	out := wire.NewOutbox(wire.NewWriter(&written), 1<<20)
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

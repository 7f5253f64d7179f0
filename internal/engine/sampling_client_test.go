package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// TestClientSample: the model reads the history and the prompt with the tools of a turn; neither prompt nor answer stays, and the
// usage counts.
func TestClientSample(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, say("hello"), say("what next"), say("bye"))
	s := b.session(t, nil)
	turnOf(t, s, "hi", nil)
	client := s.Join(ClientInfo{})
	answer, err := client.Sample(t.Context(), SampleRequest{Prompt: "guess"})
	if err != nil || answer.Message.Text() != "what next" {
		t.Fatal(answer, err)
	}
	if use := s.State().Usage; use.Input != 20 {
		t.Errorf("the session has used %+v", use)
	}
	turnOf(t, s, "again", nil)
	requests := b.requests()
	for i, want := range []string{"hi", "hi|hello|guess", "hi|hello|again"} {
		if got := texts(requests[i].Messages); got != want {
			t.Errorf("request %d has the messages %q, not %q", i, got, want)
		}
	}
	if requests[1].System != requests[0].System || len(requests[1].Tools) != 1 {
		t.Errorf("the sample begins otherwise than a turn: %q, %v", requests[1].System, requests[1].Tools)
	}
}

// TestClientSampleRefused: a busy session is not sampled, nor one whose caller has left or whose model fails.
func TestClientSampleRefused(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b := newBench(t, nil, say("hello"), fail(&model.Error{Kind: model.Rejected, Message: "no"}),
		func(context.Context, *model.Request, func(model.Delta, error) bool) { cancel() })
	s := b.session(t, nil)
	client := s.Join(ClientInfo{})
	turnOf(t, s, "hi", nil)
	if _, err := client.Sample(t.Context(), SampleRequest{Prompt: "guess"}); !isKind(err, model.Rejected) {
		t.Errorf("%v", err)
	}
	if _, err := client.Sample(ctx, SampleRequest{Prompt: "guess"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	release := busy(t, s)
	if _, err := client.Sample(t.Context(), SampleRequest{Prompt: "guess"}); !errors.Is(err, ErrTurnActive) {
		t.Errorf("a busy session: %v", err)
	}
	if err := client.AddHistory([]model.Message{model.UserText("x")}); !errors.Is(err, ErrTurnActive) {
		t.Errorf("a busy session: %v", err)
	}
	release()
}

// busy occupies an idle session until release is called.
func busy(t *testing.T, s *Session) (release func()) {
	t.Helper()
	slot, err := s.occupy(func(error) {}, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return func() { s.vacate(slot) }
}

// TestAddHistory: messages that are added are read by the model, in their roles, also after the session was opened again.
func TestAddHistory(t *testing.T) {
	b := newBench(t, nil, say("hello"))
	s := b.session(t, nil)
	err := s.Join(ClientInfo{}).AddHistory([]model.Message{
		model.UserText("the build is broken"), {Role: model.Assistant, Blocks: []model.Block{model.TextBlock("I see")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	records := turnOf(t, s, "hi", nil)
	messages := b.requests()[0].Messages
	if got := texts(messages); got != "the build is broken|I see|hi" || messages[1].Role != model.Assistant {
		t.Errorf("the model reads %q", got)
	}
	if use := ended(t, records).Usage; use.Input != 10 || s.State().Usage.Input != 10 {
		t.Errorf("the turn has used %+v", use)
	}
	for rec := range s.Log().Records(t.Context()) {
		if e, ok := rec.Event.(event.UserMessage); ok && rec.Turn == "" && e.Via != event.ByEngine {
			t.Errorf("the message %+v is one of a user", e)
		}
	}
}

func texts(messages []model.Message) string {
	var all []string
	for _, m := range messages {
		all = append(all, m.Text())
	}
	return strings.Join(all, "|")
}

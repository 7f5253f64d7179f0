package engine

import (
	"errors"
	"slices"
	"testing"

	"parley.dev/parley/internal/event"
)

// TestBatchSession: only the worker of a task prompts its session, also after the turn and in another process.
func TestBatchSession(t *testing.T) {
	b := newBench(t, nil, say("first"))
	s := b.session(t, func(o *Options, _ *event.Settings) {
		o.Profile, o.Variables = BatchProfile, map[string]string{"PARLEY_TASK": "t"}
	})
	if !slices.Contains(s.work.env.Environ, "PARLEY_TASK=t") {
		t.Errorf("the environment of tools is %q", s.work.env.Environ)
	}
	prompt := func(c *Client) error {
		_, err := c.Submit(t.Context(), Prompt{Text: "hello"})
		return err
	}
	if err := prompt(s.Attach(ClientInfo{Name: "other"})); !errors.Is(err, ErrBatch) {
		t.Errorf("another client: %v", err)
	}
	ended(t, turnOf(t, s, "do it", nil))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := b.host()
	again, err := h.Open(t.Context(), s.ID(), b.options())
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"prompt": prompt(again.Join(ClientInfo{})), "steer": again.Join(ClientInfo{}).Steer(t.Context(), Prompt{Text: "x"}),
		"follow-up": again.Join(ClientInfo{}).FollowUp(t.Context(), Prompt{Text: "x"}),
		"command":   again.Join(ClientInfo{}).StartCommand(UserCommand{ID: "c1", Line: "true"}),
	} {
		if !errors.Is(err, ErrBatch) {
			t.Errorf("%s in another process: %v", name, err)
		}
	}
	if err := again.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

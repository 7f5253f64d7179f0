package session

import (
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// TestOlderAnswer: an answer of an older program names no provider.
func TestOlderAnswer(t *testing.T) {
	f := New()
	f.Apply(event.Record{Seq: 1, Turn: "t", Event: event.AssistantMessage{Model: "test", Blocks: []model.Block{model.TextBlock("old")}}})
	if m := f.Messages("")[0]; m.Provider != "" || m.Model != "test" {
		t.Errorf("an older answer is from %s/%s", m.Provider, m.Model)
	}
}

package engine

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// TestLongDelta: a long piece of text is shown in short ones, divided between runes.
func TestLongDelta(t *testing.T) {
	text := "a" + strings.Repeat("日", maxDelta)
	b := newBench(t, nil, say(text))
	s := b.session(t, nil)
	var got strings.Builder
	turnOf(t, s, "go", func(rec event.Record) {
		if e, ok := rec.Event.(event.TextDelta); ok {
			if len(e.Text) > maxDelta || !utf8.ValidString(e.Text) {
				t.Errorf("a delta of %d bytes, valid UTF-8: %t", len(e.Text), utf8.ValidString(e.Text))
			}
			got.WriteString(e.Text)
		}
	})
	if got.String() != text {
		t.Errorf("the deltas have %d bytes, want %d", got.Len(), len(text))
	}
}

// TestUnnamedCall: a call without a name has one wherever it is shown.
func TestUnnamedCall(t *testing.T) {
	b := newBench(t, nil, call(toolCall("1", "", `{}`)), say("ok"))
	s := b.session(t, nil)
	records := turnOf(t, s, "go", func(rec event.Record) {
		if e, ok := rec.Event.(event.ToolInputDelta); ok && e.Text == "" && e.Name != unnamedTool {
			t.Errorf("shown as %q", e.Name)
		}
	})
	if calls := find[event.ToolIntended](records); len(calls) != 1 || calls[0].Name != unnamedTool {
		t.Errorf("calls %+v", calls)
	}
}

// Users read what a provider left out of a request; the answer is as without it.
func TestNoticeOfProvider(t *testing.T) {
	const text = "the endpoint refused the tool x"
	b := newBench(t, nil, func(ctx context.Context, req *model.Request, yield func(model.Delta, error) bool) {
		if yield(model.Delta{Kind: model.NoticeDelta, Text: text}, nil) {
			say("ok")(ctx, req, yield)
		}
	})
	records := turnOf(t, b.session(t, nil), "go", nil)
	ended(t, records)
	if notices := find[event.Notice](records); len(notices) != 1 || notices[0].Code != NoticeRequestChanged || notices[0].Text != text {
		t.Errorf("the notices are %+v", notices)
	}
	if answers := find[event.AssistantMessage](records); len(answers) != 1 || len(answers[0].Blocks) != 1 || answers[0].Blocks[0].Text != "ok" {
		t.Errorf("the answers are %+v", answers)
	}
}

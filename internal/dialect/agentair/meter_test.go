package agentair

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// TestTokenUpdates checks that the size of a request is sent when it is known, estimates of the answer
// while it grows, and the exact numbers at its end; nothing of that where the provider does not say it.
func TestTokenUpdates(t *testing.T) {
	end := event.AssistantMessage{Usage: model.Usage{Input: 100, CacheRead: 20, Output: 77}}
	text := event.TextDelta{Text: strings.Repeat("word", 20)} // 20 tokens
	for name, test := range map[string]struct {
		events []event.Event
		want   [][2]int64
	}{
		"counted at the start": {
			[]event.Event{event.RequestCounted{Tokens: 120}, text, text, text, text, end, text, text, end},
			[][2]int64{{120, 0}, {120, 40}, {120, 80}, {120, 77}, {120, 77}},
		},
		"counted at the end": {[]event.Event{text, text, text, end}, [][2]int64{{120, 77}}},
		"again": {
			[]event.Event{event.RequestCounted{Tokens: 120}, text, text, event.RequestCounted{Tokens: 120}, text, end},
			[][2]int64{{120, 0}, {120, 40}, {120, 0}, {120, 77}},
		},
	} {
		v := &view{session: 1}
		var got [][2]int64
		for _, e := range test.events {
			for _, m := range v.render(event.Record{Turn: "t", Event: e}) {
				if u, ok := m.(TokenUpdate); ok {
					got = append(got, [2]int64{u.InputTokens, u.OutputTokens})
				}
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

package journal_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/model"
)

func TestSummaryApply(t *testing.T) {
	start := time.Date(2026, 11, 21, 6, 40, 0, 0, time.UTC)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	say := func(via event.Via, text string) event.UserMessage {
		return event.UserMessage{ID: "p", Via: via, Blocks: []model.Block{model.TextBlock(text)}}
	}
	events := []event.Event{
		event.SessionCreated{ID: "s", Workspace: "/w", Parent: "p", Settings: event.Settings{Model: "a"}},
		event.SessionChanged{Settings: event.Settings{Model: "b", Name: "my\nname"}},
		event.TurnStarted{Prompt: "p"},
		say(event.ByEngine, "a reminder"),
		say(event.ByPrompt, "  fix\tthe \n bug "),
		event.StepStarted{Step: 1, Model: "c"},
		event.TurnEnded{Reason: event.TurnCompleted, Cost: 0.25},
		event.TurnStarted{Prompt: "q"},
		say(event.ByPrompt, "another"),
		event.TurnEnded{Reason: event.TurnFailed, Cost: 0.5},
		event.SessionChanged{Settings: event.Settings{Model: "b", Name: "n", Archived: true}},
		event.Notice{},
	}
	var all, used journal.Summary
	for i, e := range events {
		rec := event.Record{Seq: uint64(i + 1), Time: at(i), Event: e}
		if used.NeedsRecord(e.Kind()) {
			used.Apply(rec)
		}
		all.Apply(rec)
	}
	want := journal.Summary{
		ID: "s", Workspace: "/w", Parent: "p", Name: "n", Title: "fix the bug", Model: "b",
		Created: start, Updated: at(11), Turns: 2, Cost: 0.75, Failed: true, Archived: true,
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("Apply (-want +got):\n%s", diff)
	}
	used.Updated = all.Updated
	if diff := cmp.Diff(all, used); diff != "" {
		t.Errorf("Apply of what it Uses (-all +used):\n%s", diff)
	}
	all.Apply(event.Record{Seq: 13, Event: event.TurnStarted{Prompt: "r"}})
	if all.Failed {
		t.Error("the session is failed while its next turn runs")
	}
	// The model that answered counts where none was chosen, and the first does.
	var unchosen journal.Summary
	for i, e := range []event.Event{
		event.SessionCreated{ID: "s"}, event.StepStarted{Step: 1, Model: "a"}, event.StepStarted{Step: 2, Model: "b"},
	} {
		if rec := (event.Record{Seq: uint64(i + 1), Event: e}); unchosen.NeedsRecord(e.Kind()) {
			unchosen.Apply(rec)
		}
	}
	if unchosen.FirstModel != "a" || unchosen.Model != "" || all.FirstModel != "" {
		t.Errorf("answered: %+v", unchosen)
	}
}

func TestSummaryTitleIsShort(t *testing.T) {
	for _, test := range []struct{ prompt, want string }{
		{strings.Repeat("ä", 120), strings.Repeat("ä", 120)},
		{strings.Repeat("ä", 121), strings.Repeat("ä", 119) + "…"},
		{strings.Repeat("ä", 119) + " b", strings.Repeat("ä", 119) + "…"},
		{strings.Repeat("ä", 120) + " \n", strings.Repeat("ä", 120)},
		{" \n ", ""},
	} {
		var s journal.Summary
		s.Apply(event.Record{Event: event.UserMessage{Via: event.ByPrompt, Blocks: []model.Block{model.TextBlock(test.prompt)}}})
		if s.Title != test.want || utf8.RuneCountInString(s.Title) > 120 {
			t.Errorf("title of %q = %q, want %q", test.prompt, s.Title, test.want)
		}
	}
}

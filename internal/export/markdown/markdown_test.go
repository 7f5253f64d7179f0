package markdown

import (
	"iter"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

func TestWrite(t *testing.T) {
	events := []event.Event{
		event.SessionCreated{ID: "s-1", Workspace: "/w"},
		event.UserMessage{Blocks: []model.Block{model.TextBlock("look"), {Kind: model.KindImage, Image: &model.Image{Name: "a.png"}}}},
		event.AssistantMessage{}, // its calls only
		event.ToolIntended{Call: "c", Name: "look", Input: []byte("{}")},
		event.ToolEnded{Call: "c", Outcome: event.Succeeded, Output: "a ```` b\n"},
		event.CommandRan{Shell: event.ShellRun{Command: "false", ExitCode: 1}},
		event.Compacted{Summary: "It was long."},
		event.AssistantMessage{Blocks: []model.Block{model.TextBlock("Done.")}},
		event.TurnEnded{Reason: event.TurnCompleted},
		event.TurnEnded{Reason: event.TurnInterrupted},
		event.TurnEnded{Reason: event.TurnFailed, Failure: &event.Failure{Message: "no credit"}},
	}
	var records iter.Seq2[event.Record, error] = func(yield func(event.Record, error) bool) {
		for _, e := range events {
			if !yield(event.Record{Event: e}, nil) {
				return
			}
		}
	}
	var out strings.Builder
	if err := Write(&out, records); err != nil {
		t.Fatal(err)
	}
	want := "# Session s-1\n\nWorkspace: `/w`\n" +
		"\n## User\n\nlook\n\n*(image a.png)*\n" +
		"\n### Tool `look`\n\n```\n{}\n```\n" +
		"\nResult (succeeded):\n\n`````\na ```` b\n`````\n" +
		"\n## User\n\nRan `false`\n(it wrote nothing)\n(exit code 1)\n" +
		"\n## Summary of what came before\n\nIt was long.\n" +
		"\n## Assistant\n\nDone.\n" +
		"\n> The turn ended: interrupted\n" +
		"\n> The turn failed: no credit\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

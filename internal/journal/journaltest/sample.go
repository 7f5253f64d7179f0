package journaltest

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

var epoch = time.Date(2026, 11, 21, 6, 40, 0, 123456789, time.UTC)

// after returns the time that is the given number of seconds after epoch.
func after(seconds int) time.Time { return epoch.Add(time.Duration(seconds) * time.Second) }

func created(id event.SessionID) event.Record {
	return event.Record{Seq: 1, Time: epoch, Event: event.SessionCreated{
		Version: event.Version, ID: id, Workspace: "/home/ada/engine", Settings: event.Settings{Model: "offline/demo"},
	}}
}

// note returns a small record.
func note(n int) event.Record {
	return event.Record{Time: after(n), Turn: "t1", Event: event.Notice{Level: event.Info, Code: "note", Text: fmt.Sprintf("note %d", n)}}
}

func notes(n int) []event.Record {
	var records []event.Record
	for i := range n {
		records = append(records, note(i))
	}
	return records
}

// unusualRecords returns records with everything that is difficult to store: quotes, line feeds,
// other scripts, zero times, numbers at their limits, and a kind that this program does not know.
func unusualRecords() []event.Record {
	at := after(1)
	return []event.Record{
		{Time: at, Turn: "t\"1\\", Event: event.TurnStarted{Prompt: "p\n1"}},
		{Time: at.Add(time.Nanosecond), Turn: "t1", Event: event.UserMessage{ID: "p1", Via: event.ByPrompt, Blocks: []model.Block{
			model.TextBlock("line one\nline two\r\n\x00 \u2028 \U0001f9ea ünï ,\"hash\":\"0000\"}"),
			{Kind: model.KindImage, Image: &model.Image{MIME: "image/png", Data: []byte{0, 1, 2, 255}}},
		}}},
		{Time: time.Time{}, Event: event.AssistantMessage{ID: "m1", Model: "offline/demo", Blocks: []model.Block{
			{Kind: model.KindThinking, Text: "hm", Signature: "c2ln"},
			{Kind: model.KindToolCall, Call: &model.Call{ID: "c1", Name: "bash", Input: jsontext.Value(`{"command":"echo \"hi\""}`)}},
		}}},
		{Time: at, Turn: "t1", Event: event.ToolIntended{Call: "c1", Message: "m1", Name: "bash", Tool: "shell", Input: jsontext.Value(`{"command":"echo \"hi\"","timeout":1e3}`)}},
		{Time: at, Turn: "t1", Event: event.ToolEnded{
			Call: "c1", Outcome: event.Failed, Output: "hi\n", Ran: 1<<62 + 1,
			Changes: []event.FileChange{{Path: "a/b.go", Op: event.Updated, Existed: true, Diff: "--- a\n+++ b\n", Added: 1, Removed: 2}},
			Shell:   &event.ShellRun{Command: "echo", Dir: "/", ExitCode: -1, Signal: "killed", Omitted: 1 << 53},
		}},
		{Time: at, Event: event.SessionChanged{Settings: event.Settings{
			Name: "a name", Options: map[string]jsontext.Value{"b": jsontext.Value(`[1,null]`), "a": jsontext.Value(`"x"`)},
		}}},
		{Time: at, Event: event.Unknown{Name: "from_the_future", Data: jsontext.Value(`{ "b" : 1.50, "a":[ ],"hash":"x" }`)}},
		{Time: at, Turn: "t1", Event: event.TurnEnded{Reason: event.TurnFailed, Failure: &event.Failure{Kind: "internal", Message: "boom"}, Cost: 0.1, Mutations: []event.Mutation{{Tool: "edit", Path: "a/b.go"}}}},
	}
}

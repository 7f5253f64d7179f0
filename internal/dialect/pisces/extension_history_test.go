package pisces

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
)

// TestRewritten: the history after extensions; messages that are not sent to clients stay in it.
func TestRewritten(t *testing.T) {
	t.Parallel()
	text := func(words string) engine.HistoryMessage {
		return engine.HistoryMessage{Role: model.User, Blocks: []model.Block{model.TextBlock(words)}}
	}
	all := []engine.HistoryMessage{text("a"), text("hidden"), text("b"), text("c"), text("last")}
	places := []int{0, 2, 3}
	for answer, want := range map[string]string{
		`0 1 2`:                               "user a, user hidden, user b, user c, user last",
		``:                                    "user hidden, user last",
		`2 0`:                                 "user hidden, user c, user a, user last",
		`9 -1`:                                "user hidden, user last",
		`0 {"role":"user","content":"new"} 2`: "user a, user new, user hidden, user c, user last",
		`{"role":"custom","customType":"x","content":[{"type":"text","text":"y"}]}`:                     "user y, user hidden, user last",
		`{"role":"assistant","content":[{"type":"text","text":"z"}]}`:                                   "assistant z, user hidden, user last",
		`{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"ls","arguments":{}}]}`:     "assistant call c1 {}, user hidden, user last",
		`{"role":"toolResult","toolCallId":"c1","content":[{"type":"text","text":"r"}],"isError":true}`: "tool c1 r true, user hidden, user last",
		`{"role":"bashExecution","command":"ls","output":"o"}`:                                          "user Ran `ls`\n```\no\n```, user hidden, user last",
		`{"role":"compactionSummary","summary":"s"}`:                                                    "user " + message.SummaryText("This is a summary of a part of the conversation:", "s") + ", user hidden, user last",
		`null "text" [] {} {"role":7}`:                                                                  "user hidden, user last",
	} {
		var values []jsontext.Value
		if answer != "" {
			dec := jsontext.NewDecoder(strings.NewReader(answer))
			for {
				v, err := dec.ReadValue()
				if err != nil {
					break
				}
				values = append(values, v.Clone())
			}
		}
		var got []string
		for _, said := range rewritten(all, places, values) {
			line := string(said.Role)
			for _, b := range said.Blocks {
				switch {
				case b.Call != nil:
					line += " call " + b.Call.ID + " " + string(b.Call.Input)
				case b.Result != nil:
					line += " " + b.Result.CallID + " " + b.Result.Text
					if b.Result.IsError {
						line += " true"
					}
				default:
					line += " " + b.Text
				}
			}
			got = append(got, line)
		}
		if line := strings.Join(got, ", "); line != want {
			t.Errorf("%s gives %q, want %q", answer, line, want)
		}
	}
}

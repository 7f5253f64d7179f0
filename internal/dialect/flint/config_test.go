package flint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// shownOptions returns the options in effect, "id=value" each.
func shownOptions(t *testing.T, result []byte) string {
	t.Helper()
	var list ConfigListResult
	if err := json.Unmarshal(result, &list); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, o := range list.Options {
		found := false
		for _, choice := range o.Options {
			found = found || choice.ID == o.Value
		}
		if o.Type != "select" || o.Name == "" || !found {
			t.Errorf("option %+v", o)
		}
		all = append(all, o.ID+"="+o.Value)
	}
	return strings.Join(all, " ")
}

// TestOptionsOfProviders: each provider has its options; what is set for one is kept while
// another is in effect.
func TestOptionsOfProviders(t *testing.T) {
	t.Parallel()
	c := newPlace(t, t.TempDir(), "").open(t)
	const openAI = "reasoning_effort=medium reasoning_summary=auto personality=default collaboration_mode=default"
	for _, step := range []struct{ model, set, want string }{
		{"openai/gpt-5", "", openAI},
		{"anthropic/claude-opus-4-5", "", "reasoning_effort=medium max_thinking_tokens=16000"},
		{"local/some-model", "", "temperature=0.3 context_length=32768"},
		{"local/some-model", `{"id":"temperature","value":"0.7"}`, "temperature=0.7 context_length=32768"},
		{"openai/gpt-5", `{"id":"personality","value":"friendly"}`, strings.Replace(openAI, "personality=default", "personality=friendly", 1)},
		{"local/some-model", "", "temperature=0.7 context_length=32768"},
		{"offline/script", "", "reasoning_effort=medium"},
		{"openai/gpt-5", "", strings.Replace(openAI, "personality=default", "personality=friendly", 1)},
	} {
		c.start(fmt.Sprintf(`{"model":%q}`, step.model))
		if step.set != "" {
			c.call("config/set", step.set)
		}
		if got := shownOptions(t, c.call("config/list", `{}`)); got != step.want {
			t.Errorf("%s: %s, want %s", step.model, got, step.want)
		}
	}
	for _, wrong := range []string{`{"id":"temperature","value":"0.3"}`, `{"id":"context_length","value":"1"}`} {
		if m := c.ask("config/set", wrong); m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("%s: %s", wrong, m.raw) // the offline model of the last thread does not have it
		}
	}
	c.end()
}

// TestPlanMode: a turn in plan mode, or in review, looks and changes nothing, whatever the
// policy; the next turn is as before.
func TestPlanMode(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"plan", "review"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			deeds := "call write {\"path\":\"made\",\"content\":\"x\"}\ncall shell {\"command\":\"touch made\"}\ncall shell {\"command\":\"cat a.txt\"}\ncall read {\"path\":\"a.txt\"}\nnext\ntext Done.\nnext\n"
			p := newPlace(t, t.TempDir(), deeds+deeds)
			p.write(t, "a.txt", "alpha\n")
			c := p.open(t)
			thread := c.start(`{"model":"openai/gpt-5","approvalPolicy":"never","sandbox":"dangerFullAccess"}`)
			for _, turn := range []struct{ more, want string }{
				{fmt.Sprintf(`,"config":{"collaboration_mode":%q}`, mode), "failed failed completed completed"},
				{"", "completed completed completed completed"},
			} {
				c.begin(thread, turn.more)
				list, _ := items(t, c.finish("decline"))
				var got []string
				for _, i := range list {
					if i.Status != "" {
						got = append(got, i.Status)
					}
				}
				if strings.Join(got, " ") != turn.want {
					t.Errorf("%q: %v, want %s", turn.more, got, turn.want)
				}
				if _, err := os.Stat(filepath.Join(p.Work, "made")); (err == nil) != (turn.more == "") {
					t.Errorf("%q: the file: %v", turn.more, err)
				}
			}
			c.end()
		})
	}
}

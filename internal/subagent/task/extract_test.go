package task

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestExtract(t *testing.T) {
	for _, test := range []struct{ answer, want, fails string }{
		{"Here.\n\n```json\n{\"a\": 1}\n```\n", `{"result":{"data":{"a":1}}}`, ""},
		{"```JSON\n\"x\"\n```", `{"result":{"data":"x"}}`, ""},
		{"```json\r\n1\r\n```\r\n", `{"result":{"data":1}}`, ""},
		{"```go\nx\n```\nand\n```json\n[]\n```", `{"result":{"data":[]}}`, ""},
		{"```error\nThe file is gone.\n```", `{"result":{"error":"The file is gone."}}`, ""},
		{"", "", "does not end"},
		{"{\"a\":1}", "", "does not end"},
		{"```json\n1\n```\nThat is it.", "", "does not end"},
		{"```json\n1", "", "does not end"},
		{"```\n1\n```", "", "does not end"},
		{"```json\n{\n```", "", "no JSON"},
		{"```error\n\n```", "", "no reason"},
	} {
		got, err := extract(test.answer)
		if string(got) != test.want || (err != nil) != (test.fails != "") || err != nil && !strings.Contains(err.Error(), test.fails) {
			t.Errorf("%q: %s, %v", test.answer, got, err)
		}
		if err == nil {
			if _, err := readSubmission(got); err != nil {
				t.Errorf("%s: %v", got, err)
			}
		}
	}
}

// TestBackendWork: an agent of a back end has to end its answer with a block, and has no tool to submit.
func TestBackendWork(t *testing.T) {
	j := &job{run: &run{call: &call{}}}
	j.agent.Backend, j.agent.Prompt, j.input.Schema = "codex", "You look.", jsontext.Value(`{"type":"string"}`)
	if text := j.instructions(); !strings.Contains(text, howToSubmit) || strings.Contains(text, submitName) || !strings.Contains(text, `{"type":"string"}`) {
		t.Errorf("the instructions are %q", text)
	}
	j.input.Schema = nil
	if text := j.instructions(); strings.Contains(text, "```") || strings.Contains(text, submitName) {
		t.Errorf("the instructions are %q", text)
	}
}

func FuzzExtract(f *testing.F) {
	f.Add("```json\n{}\n```")
	f.Add("```error\nx\n```")
	f.Fuzz(func(t *testing.T, answer string) {
		if got, err := extract(answer); err == nil {
			if _, err := readSubmission(got); err != nil {
				t.Errorf("%q is %s: %v", answer, got, err)
			}
		}
	})
}

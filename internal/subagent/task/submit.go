package task

import (
	"context"
	_ "embed"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool"
)

//go:embed submit.md
var submitDescription string

const submitSchema = `{
	"type": "object",
	"properties": {
		"result": {
			"type": "object",
			"properties": {
				"data": {"description": "What was asked for"},
				"error": {"type": "string", "description": "Why there is none"}
			},
			"additionalProperties": false
		}
	},
	"required": ["result"],
	"additionalProperties": false
}`

// submitName is what subagents call it.
const submitName = "submit_result"

// Submit returns the tool by which a subagent hands in its result. Its turn ends with it.
func Submit() tool.Tool { return submitTool{} }

type submitTool struct{}

func (submitTool) Name() string           { return "submit" }
func (submitTool) Description() string    { return submitDescription }
func (submitTool) Schema() jsontext.Value { return jsontext.Value(submitSchema) }

// A submission is what was handed in; one of the two is set.
type submission struct {
	Data  jsontext.Value `json:"data"`
	Error string         `json:"error"`
}

func readSubmission(input jsontext.Value) (submission, error) {
	var in struct {
		Result submission `json:"result"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return submission{}, err
	}
	if (in.Result.Data == nil) == (in.Result.Error == "") {
		return submission{}, errors.New("the result has to have either data or an error")
	}
	return in.Result, nil
}

// text returns what was handed in as users read it.
func (s submission) text() string {
	var text string
	if s.Data.Kind() == '"' && json.Unmarshal(s.Data, &text) == nil {
		return text
	}
	shown := s.Data.Clone()
	if err := shown.Indent(); err != nil {
		return string(s.Data)
	}
	return strings.TrimSpace(string(shown))
}

func (submitTool) Prepare(_ *tool.Env, input jsontext.Value) (tool.Call, error) {
	_, err := readSubmission(input)
	return submitCall{input}, err
}

type submitCall struct{ input jsontext.Value }

func (submitCall) Request() approval.Request {
	return approval.Request{Level: approval.Read, Summary: "hand in the result"}
}

func (c submitCall) Run(_ context.Context, hooks tool.Hooks) tool.Result {
	if err := hooks.Submit(c.input); err != nil {
		return tool.Failed(err.Error())
	}
	return tool.Result{Text: "The result was handed in.", Final: true}
}

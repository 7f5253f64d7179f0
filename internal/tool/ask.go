package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/tool/output"
)

//go:embed ask.md
var askDescription string

const askSchema = `{
	"type": "object",
	"properties": {
		"questions": {
			"type": "array", "minItems": 1, "maxItems": 4,
			"items": {
				"type": "object",
				"properties": {
					"question": {"type": "string", "minLength": 1},
					"header": {"type": "string"},
					"options": {
						"type": "array", "maxItems": 10,
						"items": {
							"type": "object",
							"properties": {
								"label": {"type": "string", "minLength": 1},
								"description": {"type": "string", "description": "What it means"}
							},
							"required": ["label"],
							"additionalProperties": false
						}
					},
					"multi": {"type": "boolean", "description": "Several may be chosen"}
				},
				"required": ["question"],
				"additionalProperties": false
			}
		},
		"format": {"enum": ["text", "json"], "description": "Of the answers; default text"}
	},
	"required": ["questions"],
	"additionalProperties": false
}`

// Ask returns the tool that puts questions to the user.
func Ask() Tool { return askTool{} }

type askTool struct{}

func (askTool) Name() string           { return "ask" }
func (askTool) Description() string    { return askDescription }
func (askTool) Schema() jsontext.Value { return jsontext.Value(askSchema) }

// OfferedSchema leaves out what the tools of protocols need.
func (askTool) OfferedSchema(*Env) jsontext.Value { return offeredAsk.Get() }

var offeredAsk = lazy.Value[jsontext.Value]{New: func() jsontext.Value { return schemaWithout(askSchema, "format") }}

type askInput struct {
	Questions []struct {
		Question string         `json:"question"`
		Header   string         `json:"header"`
		Options  []event.Option `json:"options"`
		Multi    bool           `json:"multi"`
	} `json:"questions"`
	Format string `json:"format"`
}

func (askTool) Prepare(_ *Env, input jsontext.Value) (Call, error) {
	var in askInput
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	if n := len(in.Questions); n < 1 || n > 4 {
		return nil, fmt.Errorf("ask one to four questions at once, not %d", n)
	}
	call := &askCall{json: in.Format == "json"}
	for _, q := range in.Questions {
		if strings.TrimSpace(q.Question) == "" {
			return nil, errors.New("every question needs a text")
		}
		if label, ok := repeated(q.Options); ok {
			return nil, fmt.Errorf("the option %q stands twice under the question %q", label, q.Question)
		}
		call.questions = append(call.questions, event.Question{Text: q.Question, Header: q.Header, Options: q.Options, Multi: q.Multi})
	}
	return call, nil
}

// repeated returns a label that several options have; they could not be distinguished.
func repeated(options []event.Option) (label string, ok bool) {
	seen := map[string]bool{}
	for _, option := range options {
		if seen[option.Label] {
			return option.Label, true
		}
		seen[option.Label] = true
	}
	return "", false
}

type askCall struct {
	questions []event.Question
	json      bool // the result is JSON, and so may be what the client says in place of answers
}

func (c *askCall) Request() approval.Request {
	return approval.Request{Level: approval.Read, Summary: "ask: " + c.questions[0].Text}
}

func (c *askCall) Run(ctx context.Context, hooks Hooks) Result {
	answers, err := hooks.Ask(ctx, c.questions)
	switch {
	case err != nil && c.json:
		return Failed(err.Error())
	case err != nil:
		return Failed("The questions were not answered: " + err.Error())
	case c.json:
		return Result{Text: c.answersJSON(answers)}
	}
	if answers == nil {
		return Failed("The user does not want to answer the questions.")
	}
	var text strings.Builder
	for i, q := range c.questions {
		answer := "(no answer)"
		if i < len(answers) && len(answers[i]) > 0 {
			answer = strings.Join(answers[i], ", ")
		}
		fmt.Fprintf(&text, "%s\n→ %s\n", q.Text, answer)
	}
	result, _ := output.Clip(text.String(), MaxText)
	return Result{Text: result}
}

// answersJSON returns the answers beside the texts of their questions.
func (c *askCall) answersJSON(answers [][]string) string {
	type answered struct {
		Question string   `json:"question"`
		Answer   []string `json:"answer"`
	}
	result := struct {
		Answers []answered `json:"answers"`
	}{[]answered{}}
	for i, q := range c.questions {
		if i < len(answers) && len(answers[i]) > 0 {
			result.Answers = append(result.Answers, answered{q.Text, answers[i]})
		}
	}
	text, err := json.Marshal(result, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "{}" // strings only: cannot fail
	}
	cut, _ := output.Clip(string(text), MaxText)
	return cut
}

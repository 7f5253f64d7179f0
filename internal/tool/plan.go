package tool

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

//go:embed plan.md
var planDescription string

const planSchema = `{
	"type": "object",
	"properties": {
		"items": {
			"type": "array", "maxItems": 200,
			"items": {
				"type": "object",
				"properties": {
					"text": {"type": "string", "minLength": 1},
					"active": {"type": "string", "description": "The text while it is in progress: Running the tests"},
					"status": {"enum": ["pending", "in_progress", "completed"]}
				},
				"required": ["text", "status"],
				"additionalProperties": false
			}
		}
	},
	"required": ["items"],
	"additionalProperties": false
}`

// Plan returns the tool that keeps the session's plan.
func Plan() Tool { return planTool{} }

type planTool struct{}

func (planTool) Name() string           { return "plan" }
func (planTool) Description() string    { return planDescription }
func (planTool) Schema() jsontext.Value { return jsontext.Value(planSchema) }

type planInput struct {
	Items []event.PlanItem `json:"items"`
}

func (planTool) Prepare(_ *Env, input jsontext.Value) (Call, error) {
	var in planInput
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	return &planCall{items: in.Items}, nil
}

type planCall struct {
	items []event.PlanItem
}

func (c *planCall) Request() approval.Request {
	return approval.Request{Level: approval.Write, Summary: fmt.Sprintf("plan %d items", len(c.items))}
}

func (c *planCall) Run(_ context.Context, hooks Hooks) Result {
	hooks.Plan(c.items)
	count := map[event.PlanStatus]int{}
	for _, item := range c.items {
		count[item.Status]++
	}
	if len(c.items) == 0 {
		return Result{Text: "The plan is empty now."}
	}
	text := fmt.Sprintf("The plan is kept: %d completed, %d in progress, %d pending.",
		count[event.Completed], count[event.InProgress], count[event.Pending])
	if count[event.InProgress] > 1 {
		text += " Work on one item at a time: keep only that one in progress."
	}
	return Result{Text: text}
}

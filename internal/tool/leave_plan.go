package tool

import (
	"context"
	_ "embed"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
)

//go:embed leave_plan.md
var leavePlanDescription string

const leavePlanSchema = `{
	"type": "object",
	"properties": {
		"plan": {"type": "string", "minLength": 1, "description": "The complete plan"}
	},
	"required": ["plan"],
	"additionalProperties": false
}`

// LeavePlan returns the tool by which the model leaves the plan mode. A call needs the approval of a user, who sees the plan; no
// grant covers it. It does nothing itself: what answers the approval sets the mode of the session, before the call runs.
func LeavePlan() Tool { return leavePlanTool{} }

type leavePlanTool struct{}

func (leavePlanTool) Name() string           { return "leave_plan" }
func (leavePlanTool) Description() string    { return leavePlanDescription }
func (leavePlanTool) Schema() jsontext.Value { return jsontext.Value(leavePlanSchema) }
func (leavePlanTool) LeavesMode() string     { return string(approval.Plan) }

func (leavePlanTool) Prepare(_ *Env, input jsontext.Value) (Call, error) {
	var in struct {
		Plan string `json:"plan"`
	}
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	if strings.TrimSpace(in.Plan) == "" {
		return nil, errors.New("the plan is empty: write what you will change, where, in which order, and how you will check it")
	}
	return leavePlanCall{}, nil
}

type leavePlanCall struct{}

func (leavePlanCall) Request() approval.Request {
	return approval.Request{Level: approval.Admin, Summary: "leave plan mode and carry out the plan"}
}

func (leavePlanCall) Run(context.Context, Hooks) Result {
	return Result{Text: "The user approved the plan, and the session has left plan mode. Carry the plan out now."}
}

// Refused returns the result of a denial, which says how to go on.
func (leavePlanCall) Refused(reason string) Result {
	return Failed("The plan was not approved: " + strings.TrimRight(reason, ".") +
		".\nThe session stays in plan mode. Work in the changes that the user wants, or ask what they are, and call this tool again.")
}

package codex

import (
	_ "embed"
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/lazy"
)

// The names and inputs of tools that models of this family know, as far as our tools can do what they say; those of one
// line are ours under another name.
//
//go:embed tools.json
var toolsJSON []byte

// groupPlan is the group of the tools that models are offered in plan mode.
const groupPlan = "plan"

// toolset is the same one for every session.
var toolset = lazy.Value[[]engine.Binding]{New: func() []engine.Binding {
	var bindings []engine.Binding
	for _, t := range dialect.ReadTools(toolsJSON) {
		b := t.Binding(toolChanges[t.Name])
		if oneWay[t.Name] {
			b.Show = nil
		}
		b.AdaptResult = toolResults[t.Name]
		bindings = append(bindings, b)
	}
	return append(bindings, updateGoal)
}}

// toolChanges is what has to be done to inputs besides new names.
var toolChanges = map[string]dialect.Change{
	"exec_command":       {Adapt: adaptExec, Show: showExec},
	"write_stdin":        {Adapt: adaptStdin},
	"update_plan":        {Adapt: adaptPlan, Show: showPlan},
	"request_user_input": {Adapt: adaptQuestions},
}

// oneWay are the tools whose calls no agent of a back end makes: their inputs are never shown from ours.
var oneWay = map[string]bool{"write_stdin": true, "request_user_input": true}

var toolResults = map[string]func(jsontext.Value, engine.CallResult) engine.CallResult{"request_user_input": resultOfQuestions}

// The values of sandbox_permissions: where a command is to run.
const (
	permissionsDefault   = "use_default"
	permissionsEscalated = "require_escalated"
)

// adaptExec leaves out a justification of what needs none.
func adaptExec(shown map[string]jsontext.Value) error {
	var permissions string
	_ = json.Unmarshal(shown["sandbox_permissions"], &permissions) // it fits the schema
	delete(shown, "sandbox_permissions")
	if permissions != "" {
		shown["escalate"] = booleanValue(permissions == permissionsEscalated)
	}
	if permissions != permissionsEscalated {
		delete(shown, "justification")
	}
	return nil
}

func showExec(members map[string]jsontext.Value) error {
	permissions := permissionsDefault
	if escalate, ok := members["escalate"]; ok {
		if string(escalate) == "true" {
			permissions = permissionsEscalated
		}
		members["sandbox_permissions"] = textValue(permissions)
	}
	if permissions != permissionsEscalated {
		delete(members, "justification")
	}
	delete(members, "escalate")
	return nil
}

// interruptChar is what a terminal sends for Ctrl+C.
const interruptChar = "\x03"

// adaptStdin makes an action on a background command of what is written to it.
func adaptStdin(shown map[string]jsontext.Value) error {
	var chars string
	_ = json.Unmarshal(shown["chars"], &chars) // it fits the schema
	wait, waits := shown["yield_time_ms"]
	delete(shown, "chars")
	delete(shown, "yield_time_ms")
	switch {
	case chars == interruptChar:
		shown["action"] = jsontext.Value(`"stop"`)
	case strings.Contains(chars, interruptChar):
		return errors.New(`\u0003 stops the command, and can only be sent alone`)
	case chars != "":
		shown["action"], shown["newline"] = jsontext.Value(`"write"`), booleanValue(false)
		shown["input"] = textValue(chars)
	default:
		shown["action"] = jsontext.Value(`"read"`)
		if waits {
			shown["wait_ms"] = wait
		}
	}
	return nil
}

// A planStep is a step of a plan as models write it; a planItem is the same as our tool has it.
type (
	planStep struct {
		Step   string `json:"step"`
		Status string `json:"status"`
	}
	planItem struct {
		Text   string `json:"text"`
		Active string `json:"active,omitzero"`
		Status string `json:"status"`
	}
)

func adaptPlan(shown map[string]jsontext.Value) error {
	delete(shown, "explanation") // the client sees it
	var steps []planStep
	if err := json.Unmarshal(shown["plan"], &steps); err != nil {
		return err
	}
	items := []planItem{}
	for _, s := range steps {
		items = append(items, planItem{Text: s.Step, Status: s.Status})
	}
	return setValue(shown, "plan", items)
}

func showPlan(members map[string]jsontext.Value) error {
	var items []planItem
	if err := json.Unmarshal(members["plan"], &items); err != nil {
		return err
	}
	steps := []planStep{}
	for _, item := range items {
		if item.Active != "" {
			return errors.New("update_plan has no member for the text of a step that is in progress")
		}
		steps = append(steps, planStep{Step: item.Text, Status: item.Status})
	}
	return setValue(members, "plan", steps)
}

// setValue sets a member to the JSON of a value.
func setValue(members map[string]jsontext.Value, name string, value any) error {
	text, err := json.Marshal(value)
	members[name] = text
	return err
}

// textValue returns a JSON string.
func textValue(text string) jsontext.Value {
	value, _ := json.Marshal(text, jsontext.AllowInvalidUTF8(true)) // a string: cannot fail
	return value
}

func booleanValue(value bool) jsontext.Value { return jsontext.Value(strconv.FormatBool(value)) }

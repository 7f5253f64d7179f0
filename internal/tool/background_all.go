package tool

import (
	_ "embed"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lazy"
)

//go:embed background_all.md
var backgroundAllDescription string

const backgroundAllSchema = `{
	"type": "object",
	"properties": {
		"action": {"type": "string", "enum": ["start", "read", "write", "stop", "list"]},
		"command": {"type": "string", "minLength": 1, "description": "For start"},
		"dir": {"type": "string", "description": "For start"},
		"id": {"type": "string", "description": "For read, write and stop"},
		"wait_ms": {"type": "integer", "minimum": 0, "maximum": 600000, "description": "For read: wait for output; default 0"},
		"input": {"type": "string", "description": "For write"},
		"newline": {"type": "boolean", "description": "For write: add a newline; default true"}
	},
	"required": ["action"],
	"additionalProperties": false
}`

// BackgroundAll returns all tools for background commands as one, which takes less room in requests.
func BackgroundAll() Tool { return backgroundAll{} }

type backgroundAll struct{}

func (backgroundAll) Name() string           { return "background" }
func (backgroundAll) Description() string    { return backgroundAllDescription }
func (backgroundAll) Schema() jsontext.Value { return jsontext.Value(backgroundAllSchema) }

// OfferedSchema leaves out what the tools of protocols need.
func (backgroundAll) OfferedSchema(*Env) jsontext.Value { return offeredBackground.Get() }

var offeredBackground = lazy.Value[jsontext.Value]{New: func() jsontext.Value { return schemaWithout(backgroundAllSchema, "newline") }}

// Available reports whether the session can have background commands.
func (backgroundAll) Available(env *Env) bool { return env.Background != nil }

// backgroundActions is the tool of each action, and which members of an input are its.
var backgroundActions = map[string]struct {
	tool     Tool
	required string // a member; "": none is
	members  []string
}{
	"start": {BackgroundStart(), "command", []string{"command", "dir"}},
	"read":  {BackgroundRead(), "id", []string{"id", "wait_ms"}},
	"write": {BackgroundWrite(), "id", []string{"id", "input", "newline"}},
	"stop":  {BackgroundStop(), "id", []string{"id"}},
	"list":  {BackgroundList(), "", nil},
}

// Prepare prepares the call of the tool that the action stands for. Members of other actions are ignored.
func (backgroundAll) Prepare(env *Env, input jsontext.Value) (Call, error) {
	var in map[string]jsontext.Value
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, fmt.Errorf("the input cannot be read: %w", err)
	}
	var name string
	_ = json.Unmarshal(in["action"], &name) // it fits the schema
	action, ok := backgroundActions[name]
	if !ok {
		return nil, fmt.Errorf("there is no action %q", name)
	}
	own := map[string]jsontext.Value{}
	for _, member := range action.members {
		if value, ok := in[member]; ok {
			own[member] = value
		}
	}
	if _, ok := own[action.required]; action.required != "" && !ok {
		return nil, fmt.Errorf("%s needs %q", name, action.required)
	}
	if name == "list" {
		own["ended"] = jsontext.Value("true")
	}
	given, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	return action.tool.Prepare(env, given)
}

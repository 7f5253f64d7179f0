package parley

import (
	"cmp"
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
)

// A Tool is a tool of the program, which models can call. Name and Run are required.
type Tool struct {
	Name        string // as models call it: letters, digits, _ and -, at most 64; no other tool has it
	Description string // for models: what it does, and when to use it
	// Schema is the JSON Schema of the input, an object: calls that do not fit it fail without Run. "": any object.
	Schema string
	// ReadOnly reports that calls change nothing: they need no approval in modes that read, and run at the same time as others.
	// False: a call may do anything, and needs an approval in every mode but FullAccess.
	ReadOnly bool
	// Run runs a call and returns what the model reads. An error is a failed call, and its text is for the model. A panic is a
	// failed call, too. ctx ends when the turn is interrupted: Run returns soon after it.
	Run func(ctx context.Context, call Call) (string, error)
}

// A Call is a call of a Tool.
type Call struct {
	Session *Session
	ID      string // unique in the session, as in record.ToolIntended
	Input   jsontext.Value

	output func(string)
}

// Decode reads the input into a value, such as a pointer to a struct with json tags. Members that the struct does not have are
// ignored.
func (c Call) Decode(input any) error { return json.Unmarshal(c.Input, input) }

// Output shows a piece of what the tool writes while it runs (record.ToolOutput). The model does not read it.
func (c Call) Output(text string) { c.output(text) }

// anyObject is the schema of a tool that has none.
const anyObject = `{"type":"object"}`

// tools returns the tools of the program as those of a client of the session.
func (s *Session) tools(all []Tool) []*engine.ClientTool {
	var tools []*engine.ClientTool
	for _, t := range all {
		level := approval.Execute
		if t.ReadOnly {
			level = approval.Read
		}
		tools = append(tools, &engine.ClientTool{
			ToolName: t.Name, About: t.Description, Input: jsontext.Value(cmp.Or(t.Schema, anyObject)), Level: level,
			Handle: func(ctx context.Context, call engine.ClientCall) engine.ClientResult {
				text, err := t.Run(ctx, Call{Session: s, ID: string(call.ID), Input: call.Input, output: call.Output})
				if err != nil {
					return engine.ClientResult{Text: err.Error(), IsError: true}
				}
				return engine.ClientResult{Text: text}
			},
		})
	}
	return tools
}

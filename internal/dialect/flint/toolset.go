package flint

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/lazy"
)

// The protocol does not name tools, so models get ours under our names. It has no way to ask
// a user anything but approvals, hence no tool that asks.

// shellSchema is our shell's without what would change the order of its output: items show
// it as it came.
const shellSchema = `{
	"type": "object",
	"properties": {
		"command": {"type": "string", "minLength": 1},
		"timeout_ms": {"type": "integer", "minimum": 1, "maximum": 600000, "description": "Default 120000"},
		"dir": {"type": "string", "description": "Folder to run in; default: the workspace"},
		"description": {"type": "string", "description": "Why it has to be run, in a few words for the user"}
	},
	"required": ["command"],
	"additionalProperties": false
}`

// toolset is the same one for every session.
var toolset = lazy.Value[[]engine.Binding]{New: func() []engine.Binding {
	bindings := []engine.Binding{{Name: toolShell, Tool: toolShell, Schema: jsontext.Value(shellSchema)}}
	for _, name := range []string{"read", toolWrite, toolEdit, "glob", "grep", "list", "background", "fetch", toolSearch, toolPlan, "skill"} {
		bindings = append(bindings, engine.Binding{Name: name, Tool: name})
	}
	return append(bindings, engine.Binding{Name: "apply_patch", Tool: toolPatch, Family: engine.FamilyGPT})
}}

// The tools whose calls are items of a type of their own.
const (
	toolShell  = "shell"
	toolWrite  = "write"
	toolEdit   = "edit"
	toolPatch  = "patch"
	toolSearch = "search"
	toolPlan   = "plan"
)

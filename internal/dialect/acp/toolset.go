package acp

import (
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/lazy"
)

// The tools whose calls are shown in a way of their own.
const (
	toolRead       = "read"
	toolWrite      = "write"
	toolEdit       = "edit"
	toolPatch      = "patch"
	toolList       = "list"
	toolGlob       = "glob"
	toolGrep       = "grep"
	toolShell      = "shell"
	toolBackground = "background"
	toolFetch      = "fetch"
	toolSearch     = "search"
	toolAsk        = "ask"
	toolPlan       = "plan"
	toolSkill      = "skill"
	toolTodo       = "todo"
	toolTask       = "task"
	toolSubmit     = "submit"
	toolLeavePlan  = "leave_plan" // by which models request to leave the mode "plan"
)

// toolset is our tools under our own names, the same ones for every session.
var toolset = lazy.Value[[]engine.Binding]{New: func() []engine.Binding {
	var bindings []engine.Binding
	for _, name := range []string{
		toolRead, toolWrite, toolEdit, toolPatch, toolGlob, toolGrep, toolList, toolShell, toolBackground, toolFetch, toolSearch, toolAsk, toolPlan, toolSkill,
		toolLeavePlan,
	} {
		b := engine.Binding{Name: name, Tool: name}
		if name == toolPatch {
			b.Name, b.Family = "apply_patch", engine.FamilyGPT
		}
		bindings = append(bindings, b)
	}
	return bindings
}}

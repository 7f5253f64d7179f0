package app

import "parley.dev/parley/internal/engine"

// Toolset returns our tools under their own names, and patch under the name that the models know that were
// trained on it. Attended reports whether the user can answer questions.
func Toolset(attended bool) []engine.Binding {
	var bindings []engine.Binding
	for _, name := range []string{"read", "write", "edit", "patch", "glob", "grep", "list", "shell", "background", "fetch", "search", "ask", "plan", "skill"} {
		b := engine.Binding{Name: name, Tool: name}
		switch {
		case name == "patch":
			b.Name, b.Family = "apply_patch", engine.FamilyGPT
		case name == "ask" && !attended:
			continue
		}
		bindings = append(bindings, b)
	}
	return bindings
}

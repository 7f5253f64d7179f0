package engine

import (
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/model"
)

// Tuning is how one turn differs from its session's settings.
type Tuning struct {
	Thinking     model.Thinking // "": the session's
	ModelName    string         // as Settings.Model has it; "": the session's
	Model        model.Tuning
	Window       int    // tokens of context to work with; 0: the model's
	Instructions string // follow those of the session; those of a prompt that is delivered later are added
	System       string // the system prompt but for the project's context files; "": the session's
	ReadOnly     bool   // calls that would change anything are refused
	NoSteering   bool   // prompts that would be delivered into the turn are refused: ErrNotSteerable
}

// changes reports whether a call changes anything but the session's own notes. Looks: its
// command is trusted.
func changes(r approval.Request, looks bool) bool {
	switch r.Level {
	case approval.Read:
		return false
	case approval.Write:
		return len(r.Paths) > 0
	}
	return !looks
}

package dialect

import (
	"fmt"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// SetPolicy changes who approves calls, or how they are confined, in a session that a command line with an explicit flag has opened. The
// change is recorded with the client and sent to all others. Only a session that a client of the same protocol has made is changed so:
// any other one keeps its permissions, and the flag is an error.
func SetPolicy(eng *engine.Session, name, flag string, set func(*event.Settings)) error {
	st := eng.State()
	before, after := st.Settings, st.Settings
	set(&after)
	switch {
	case before.Mode == after.Mode && before.Asking == after.Asking && before.Sandbox.Equal(after.Sandbox):
		return nil
	case st.Profile != name:
		made := st.Profile
		if made == "" {
			made = "another program"
		}
		return fmt.Errorf("the session %s was made by %s and keeps its permissions: open it without %s, or change them with parley run --resume %[1]s --permission-mode MODE PROMPT", eng.ID(), made, flag)
	}
	client := eng.Join(engine.ClientInfo{Name: name})
	defer client.Leave()
	return client.Change(set)
}

// SwitchPolicy is SetPolicy for a session that a client switches to from another one. Where the flag chooses that everything runs unasked and
// unconfined, a session of another protocol is entered with its own permissions, which allow no more. A refused client would stay in the
// session that it wanted to leave, in which nothing is limited.
func SwitchPolicy(eng *engine.Session, name, flag string, set func(*event.Settings)) error {
	var chosen event.Settings
	set(&chosen)
	if eng.State().Profile != name && chosen.Asking == approval.AskNever && chosen.Sandbox.Kind == approval.SandboxNone {
		return nil
	}
	return SetPolicy(eng, name, flag, set)
}

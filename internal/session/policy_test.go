package session

import (
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// TestApproveAll: a session whose mode was only shown needs an approval for every call, until its policy is changed.
func TestApproveAll(t *testing.T) {
	full := event.Settings{Mode: string(approval.FullAccess)}
	own, other := event.Client{N: 1, Name: "old"}, event.Client{N: 2, Name: "other"}
	for name, test := range map[string]struct {
		profile string
		changes []event.SessionChanged
		all     bool
	}{
		"as it was made":                    {"old", nil, true},
		"of another profile":                {"new", nil, false},
		"without a profile":                 {"", nil, false},
		"another name":                      {"old", []event.SessionChanged{{Settings: event.Settings{Mode: full.Mode, Name: "x"}, Client: other}}, true},
		"its own mode":                      {"old", []event.SessionChanged{{Settings: event.Settings{Mode: "prompt"}, Client: own}, {Settings: full, Client: own}}, true},
		"a mode when it was opened":         {"old", []event.SessionChanged{{Settings: event.Settings{Mode: "prompt"}}}, true},
		"the mode of another client":        {"old", []event.SessionChanged{{Settings: event.Settings{Mode: "workspace-write"}, Client: other}}, false},
		"the mode of another client, twice": {"old", []event.SessionChanged{{Settings: event.Settings{Mode: "prompt"}, Client: other}, {Settings: full, Client: own}}, false},
		"asking":                            {"old", []event.SessionChanged{{Settings: event.Settings{Asking: approval.AskNever}, Client: own}, {Settings: full, Client: own}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := New()
			f.ApproveAll = []string{"old"}
			f.Apply(event.Record{Seq: 1, Event: event.SessionCreated{Settings: full, Profile: test.profile}})
			for i, e := range test.changes {
				f.Apply(event.Record{Seq: uint64(i + 2), Event: e})
			}
			settings := f.State.Settings
			if all := settings.Asking == approval.AskAlways && settings.Sandbox.Kind == approval.SandboxNone; all != test.all {
				t.Errorf("%+v", settings)
			}
		})
	}
}

package session

import (
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// setPolicy sets the settings of the session. Those of a profile of ApproveAll had a mode that was only shown, for instance the one
// in which no call is asked about, while every call needed an approval. Other protocols go by the settings: they get what
// has held for the session, until a client sets Asking, or one of another protocol has changed the mode.
func (f *Fold) setPolicy(settings event.Settings, client event.Client) {
	before := f.State.Settings.Mode
	f.State.Settings = settings
	other := client.Name != "" && client.Name != f.State.Profile
	if settings.Asking != "" || other && settings.Mode != before {
		f.approveAll = false
	}
	if f.approveAll {
		f.State.Settings.Asking, f.State.Settings.Sandbox = approval.AskAlways, approval.Sandbox{Kind: approval.SandboxNone}
	}
}

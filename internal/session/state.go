package session

import (
	"cmp"

	"parley.dev/parley/internal/journal"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// State is what the records of a session say that clients read.
type State struct {
	ID        event.SessionID
	Summary   journal.Summary // what lists show of it
	Workspace string
	Parent    event.SessionID
	Settings  event.Settings
	Head      uint64       // number of the last record
	Turn      event.TurnID // the open turn, or ""
	Turns     int          // begun
	Messages  int          // in the history as the model sees it; results not counted
	Results   int          // of tools, in that history; calls that never ran have none
	Usage     model.Usage  // of all model calls
	Cost      float64      // of all model calls, US dollars
	Calls     int          // of tools, that began to run
	Plan      []event.PlanItem
	Phases    []event.PlanPhase // of a plan that is made of tasks
	Steering  []event.Queued
	FollowUps []event.Queued
	Profile   string // event.SessionCreated.Profile
	Changed   uint64 // number of the last record that set the settings
	Clients   int    // the highest event.Client.N of a record
}

// Dir returns the folder that turns work in.
func (st State) Dir() string { return cmp.Or(st.Settings.Dir, st.Workspace) }

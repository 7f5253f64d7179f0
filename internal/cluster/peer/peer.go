package peer

import (
	"errors"
	"time"
)

// A Description is what a member publishes about itself.
type Description struct {
	Name        string            `json:"name"` // of the machine
	Version     string            `json:"version"`
	PID         int               `json:"pid"`
	Labels      map[string]string `json:"labels,omitzero"`
	Slots       int               `json:"slots"`    // tasks that it can run at once
	Sessions    int               `json:"sessions"` // that are open
	Draining    bool              `json:"draining,omitzero"`
	Serves      bool              `json:"serves,omitzero"` // it takes tunnels
	SharedRoots []string          `json:"shared_roots,omitzero"`
}

// A Host is a process that is or was a member.
type Host struct {
	ID          string // of the host
	Incarnation string // of the process; "": it is not known any more
	Description
	Live bool
	Seen time.Time // when it renewed its key last, or its key was removed, by the clock of the store
}

// Owner returns the name of the process among all that have ever been members.
func (h Host) Owner() string { return h.ID + "." + h.Incarnation }

// ErrNoHost reports that no live host has an id.
var ErrNoHost = errors.New("there is no such host")

// A Visitor is the client of another member, for which that opens a tunnel. Members trust each other: what it may do was
// checked there.
type Visitor struct {
	Conn     string   `json:"conn"` // id of the tunnel
	From     string   `json:"from"` // the member that opens it: HOST.INCARNATION
	Name     string   `json:"name"` // of its machine
	Client   string   `json:"client,omitzero"`
	Role     string   `json:"role"`
	Limited  bool     `json:"limited,omitzero"` // it can reach Sessions only
	Sessions []string `json:"sessions,omitzero"`
	Within   string   `json:"within,omitzero"` // the folder whose sessions it can reach; "": all
}

// A RefusedError is why a member does not take a tunnel.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return "the other host refuses: " + e.Reason }

// The requests to a host that serves clients. Those of other packages are theirs.
const (
	VerbHas   = "has"   // does the host have the folder?
	VerbDrain = "drain" // it must take nothing new
	AnswerYes = "yes"
	AnswerNo  = "no"
)

package native

import "slices"

// A Role is what a connection may do. Each includes those before it.
type Role string

// The roles.
const (
	Viewer   Role = "viewer"   // reads and follows
	Reviewer Role = "reviewer" // answers approvals and questions
	Driver   Role = "driver"   // prompts, steers, interrupts, changes settings, creates
	Owner    Role = "owner"    // removes, runs commands of a user, grants
)

var roles = []Role{Viewer, Reviewer, Driver, Owner}

// IsRole reports whether a text is a role.
func IsRole(text string) bool { return slices.Contains(roles, Role(text)) }

// may reports whether r includes the other role.
func (r Role) may(other Role) bool { return slices.Index(roles, r) >= slices.Index(roles, other) }

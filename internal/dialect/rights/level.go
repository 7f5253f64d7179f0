package rights

// A Level is how much a client may do. Each includes those before it; the zero value needs nothing.
type Level uint8

// The levels. The first four are the roles of tokens.
const (
	Viewer   Level = iota + 1 // reads and follows
	Reviewer                  // answers approvals and questions
	Driver                    // prompts, steers, interrupts, changes settings, creates
	Owner                     // removes, stores grants, ends sessions for all
	User                      // acts as the user: has the role owner, and is not limited to a folder or to sessions
)

var names = [...]string{"", "viewer", "reviewer", "driver", "owner", "user"}

// String returns the name of the role; that of User is "user".
func (l Level) String() string { return names[l] }

// Role returns the role that a token of the level has.
func (l Level) Role() string { return min(l, Owner).String() }

// levelOf returns the level of a role. An unknown role may do nothing.
func levelOf(role string) Level {
	for l := Viewer; l <= Owner; l++ {
		if l.String() == role {
			return l
		}
	}
	return 0
}

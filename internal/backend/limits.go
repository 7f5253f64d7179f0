package backend

import "time"

// Limits bound the processes of a back end. Zero values are the defaults.
type Limits struct {
	Idle time.Duration // how long an agent may have no turn until it is ended; the next prompt starts it again
	Most int           // how many agents there are at a time
}

// The limits that hold where Limits have none.
const (
	DefaultIdle = 5 * time.Minute
	DefaultMost = 16
)

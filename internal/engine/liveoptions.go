package engine

// LiveOptions are the options that can change while a session is open. A change counts from the
// next time that they are asked for: the next look at a queue, failed call, or threshold.
type LiveOptions struct {
	Steers    SteerMode
	FollowUps FollowUpMode
	Retry     RetryPolicy // nil: a failed call is final
	Compact   CompactionPolicy
	Todos     *Todos // nil: turns may end with open tasks, and the plan stays as it is
}

// SteerMode is how steers reach the model. The zero value: all that wait, when all calls of the step
// have run; those that no turn takes wait for the next.
type SteerMode uint8

// The bits of a SteerMode.
const (
	// SteerAfterCall delivers steers after the call that ends next. Those beside it are interrupted,
	// those after it are skipped; a call that runs alone is left to its end.
	SteerAfterCall SteerMode = 1 << iota
	// SteerOneByOne delivers one steer at a time.
	SteerOneByOne
	// SteerRunningTurn refuses to steer an idle session (ErrIdle). Steers that a turn has ended without, since they
	// came too late or it failed, begin the next one. A client that interrupts the turn removes those that it has queued itself.
	SteerRunningTurn
)

// FollowUpMode is where queued follow-ups run. The zero value: in the running turn, all that wait when it
// would end.
type FollowUpMode uint8

// The bits of a FollowUpMode.
const (
	// FollowUpInNewTurn starts a turn after the running one for each follow-up.
	FollowUpInNewTurn FollowUpMode = 1 << iota
	// FollowUpOneByOne delivers one follow-up at a time to the running turn.
	FollowUpOneByOne
)

// Adjust edits the LiveOptions. ErrClosed.
func (s *Session) Adjust(edit func(*LiveOptions)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != "" {
		return ErrClosed
	}
	edit(&s.opts.LiveOptions)
	return nil
}

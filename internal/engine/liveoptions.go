package engine

// LiveOptions are the options that can change while a session is open. A change counts from the
// next time that they are asked for: the next look at a queue, failed call, or threshold.
type LiveOptions struct {
	SteerAt       SteerAt
	TakeSteers    QueueMode
	TakeFollowUps QueueMode   // of FollowUpsInTurn; a turn of its own has one
	Retry         RetryPolicy // nil: a failed call is final
	Compact       CompactionPolicy
	Todos         Todos
}

// SteerAt is when a steer reaches the model.
type SteerAt uint8

// The moments.
const (
	SteerAfterStep SteerAt = iota // when all calls of the step have run
	// SteerAfterCall: after the call that ends next. Those beside it are interrupted, those
	// after it are skipped; a call that runs alone is left to its end.
	SteerAfterCall
)

// QueueMode is how much of a queue is taken at once.
type QueueMode uint8

// The modes.
const (
	TakeAll QueueMode = iota
	TakeOne
)

// Adjust edits the LiveOptions. ErrClosed.
func (s *Session) Adjust(edit func(*LiveOptions)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	edit(&s.opts.LiveOptions)
	return nil
}

package engine

import (
	"context"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
)

// A delegatedCall is a call of a tool that an agent runs.
type delegatedCall struct {
	reportedCall
	id       event.CallID
	made     backend.Call
	request  approval.Request
	preHooks func() (reason string) // runs them once; why the call may not run
	created  map[string]bool        // the files that did not exist when the call was reported

	mu       lock.Mutex // guards what follows: the answer to an Ask comes from another goroutine
	started  bool
	ended    bool
	withdraw context.CancelCauseFunc // ends the wait for the answer to an Ask; nil: there was none
	begun    time.Time               // when the agent has begun it, or was allowed to
	changes  []event.FileChange      // that it would make, as far as the agent reports it
}

// foreign reports whether the session has no tool that does what the call does.
func (c *delegatedCall) foreign() bool { return c.tool == "" || c.made.Server != "" }

// hasEnded reports whether the end of the call is recorded, or is about to be.
func (c *delegatedCall) hasEnded() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}

// hasStarted reports whether the call has run, or ended before it could.
func (c *delegatedCall) hasStarted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.started || c.ended
}

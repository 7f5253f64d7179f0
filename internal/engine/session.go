package engine

import (
	"cmp"
	"context"
	"sync"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/session"
	"parley.dev/parley/internal/sessionlog"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/background"
	"parley.dev/parley/internal/tool/shell"
	"parley.dev/parley/internal/tool/snapshot"
)

// A Session is an open session. Its verbs are safe for concurrent use and return soon:
// none but RunCommand, Wait and Close waits for a model, a tool or a command.
type Session struct {
	host *Host
	id   event.SessionID
	opts Options // fixed, except for its LiveOptions, which mu guards

	mu      lock.Mutex // guards what follows
	fold    *session.Fold
	log     *sessionlog.Log
	slot    *slot     // what the session is busy with; nil: it is idle
	ended   EndReason // why it was closed; "": it is open
	opened  openState
	lease   leaseState
	clients clientState
	work    workState
	tools   sessionTools
	shell   userShell
	context contextState
	tasks   taskState
}

// An openState is what has happened since this process opened the session.
type openState struct {
	foreign bool // it was not open in this process before
	begun   bool // a turn was begun
	queue   bool // prompts wait that another process has accepted, and no turn was begun since
	started bool // the hooks of its start have run
}

// A leaseState is what decides whether the lease of the journal is held; see lease.go.
type leaseState struct {
	claims     int             // by Session.Lease, not released
	queueHolds int             // by Queue.Hold, not released
	overrides  []override      // not recorded yet: another process has the lease
	other      *other          // the process whose turn is followed; nil: none is
	viewed     bool            // View opened it: what any process writes is followed, and the lease is not acquired
	awaited    *awaitedRequest // for the lease; nil: none is awaited
	handed     time.Time       // when the lease was handed over; zero: it was not, or this process had it since
	following  sync.WaitGroup  // of other and awaited
}

// A clientState is what is known of the clients of a session, and what they decide.
type clientState struct {
	last         int          // the number of the client that came last
	attached     int          // those that can answer something
	approvers    int          // those of them that can answer approvals
	responses    int          // those of them that can answer questions
	keepLease    int          // those that want it; see ClientInfo
	runFollowUps map[int]bool // numbers of those whose follow-ups wait for no other prompt, also if they have left; see ClientInfo
	drivers      int          // those that may give it prompts
	approvals    map[event.ApprovalID]*pendingApproval
	questions    map[event.QuestionID]*pendingQuestion
	answered     answeredRequests
	grants       approval.GrantSet
	refusals     *refusals
	draining     map[*Client]func() // of Drain; called when something waits for an answer
	absence      *time.Timer        // denies what waits for a client; nil: nothing does
	io           clientIO
}

// A workState is what tools work with in the folder of the session, and what they have found there.
type workState struct {
	env        *tool.Env // nil: the folder cannot be used
	skills     skillList // of env, as models are offered them
	project    projectMemory
	known      *tool.KnownFiles // files that the model has read
	outputs    *tool.Outputs
	snapshots  *snapshot.Taker // nil: none are taken
	agent      *runningAgent   // of the back end; nil: none runs
	roots      []string        // further folders: absolute, symlinks resolved
	caches     tool.Caches
	background *background.Commands // nil: there are no background commands
}

// A sessionTools is what models are offered: the tools of the options, and those of servers and clients.
type sessionTools struct {
	toolset
	servers  []Server
	source   tool.Source  // of servers, and of those of the program; nil: none
	remote   []*boundTool // of the source, as last offered
	guide    string       // section of the system prompt about the tool servers
	client   []*boundTool // of Client.UseTools
	deferred bool         // models search for the definitions of tools of servers
	leftOut  string       // names of the tools that the endpoint has no room for, as the user was notified
}

// A userShell is where the commands of RunCommand run.
type userShell struct {
	state   *shell.State       // nil: the folder could not be used yet
	running *userRun           // nil: none runs
	ran     []event.CommandRan // not recorded until the next prompt
}

// A contextState is what is known of the last request.
type contextState struct {
	fixedBytes  int    // of system prompt and tools; 0: there was no request
	window      int    // of its model, in tokens
	model       string // its id; "": there was no request
	pictures    pictureCache
	compactions compactionTries
}

// A taskState is what is known of tasks besides the plan.
type taskState struct {
	reserved int                    // tasks of subagents that have a number
	clearing map[string]*time.Timer // by ids of tasks of the plan that are done: when they leave it
}

// A slot is the one thing a session can be busy with: a turn or a compaction.
type slot struct {
	turn   event.TurnID   // "" for a compaction
	prompt event.PromptID // that began the turn
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the slot is free again
	closed bool          // see Tuning.NoSteering
	// retrying is closed to end the wait before a model call is tried again; nil: none waits. The session's
	// lock guards it.
	retrying chan struct{}
	// interrupted is the client that has interrupted it; the session's lock guards it.
	interrupted event.Client
	stopped     bool // a client has interrupted it, before the session ended; the session's lock guards it
	// withdrawn are the steers that clients which have interrupted it had queued until then; the session's lock guards it.
	withdrawn []event.PromptID
	status    event.Status // what was shown last; the session's lock guards it
	// steering gives the agent of a back end the steers that wait; nil: it takes none. It may have the first of them, inFlight in
	// number. The session's lock guards both.
	steering *steerSender
	inFlight int
}

// newSession returns a session that has no records yet. *RootError.
func newSession(h *Host, id event.SessionID, o Options) (*Session, error) {
	roots, err := h.resolveRoots(o.Roots)
	if err != nil {
		return nil, err
	}
	o = h.withTasks(o)
	o.Budget = cmp.Or(o.Budget, h.cfg.Budget)
	s := &Session{
		host: h.whole(), id: id, opts: o,
		fold: session.New(),
		clients: clientState{
			approvals: map[event.ApprovalID]*pendingApproval{},
			draining:  map[*Client]func(){},
			questions: map[event.QuestionID]*pendingQuestion{},
			grants:    approval.GrantSet{Now: h.cfg.Now},
			refusals:  cmp.Or(o.refusals, &refusals{}),
		},
		work:  workState{known: cmp.Or(o.known, &tool.KnownFiles{}), roots: roots},
		tools: sessionTools{toolset: h.toolset(o.Toolset), servers: o.servers},
		tasks: taskState{clearing: map[string]*time.Timer{}},
	}
	s.fold.ApproveAll = h.cfg.ApproveAll
	s.log = sessionlog.New(s.logConfig())
	return s, nil
}

// Save puts what there is on disk; without it a session reaches the disk with its first
// prompt. ErrUnsaved, ErrClosed.
func (s *Session) Save() error {
	if err := s.save(); err != nil {
		return err
	}
	ctx, cancel := s.host.storeContext(context.Background())
	defer cancel()
	return s.Log().AwaitStored(ctx)
}

// save is Save; in a deferred store it does not wait for the acknowledgement.
func (s *Session) save() error {
	if err := s.lockToWrite(); err != nil {
		return err
	}
	defer s.unlock()
	if _, err := s.create(); err != nil {
		return err
	}
	if err := s.log.Flush(); err != nil {
		return err
	}
	s.host.watchers.note(s.id)
	return s.log.Sync()
}

// Saved reports whether lists of the store have the session: a new one is not in them until Save or its first prompt.
func (s *Session) Saved() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Created()
}

// interrupt ends what runs for a client, whose steers are withdrawn. The end names the first that interrupts, and no client has interrupted
// what the end of the session ends.
func (s *Session) interrupt(by event.Client) {
	if s.slot != nil && s.ended == "" {
		if !s.slot.stopped {
			s.slot.interrupted, s.slot.stopped = by, true
		}
		for _, q := range s.fold.State.Steering {
			if q.Client == by {
				s.slot.withdrawn = append(s.slot.withdrawn, q.ID)
			}
		}
	}
	s.cancelSlot()
}

// cancelSlot ends what runs.
func (s *Session) cancelSlot() {
	if s.slot != nil {
		s.slot.cancel(ErrInterrupted)
		s.resolveAll(s.text(TextInterrupted), event.ByInterrupt)
		s.log.SetBusy(s.needsLeaseIdle())
	}
}

// waitTurn waits until no turn and no compaction runs. The error is the cause of ctx.
func (s *Session) waitTurn(ctx context.Context) error {
	for {
		s.mu.Lock()
		busy := s.slot
		s.mu.Unlock()
		if busy == nil {
			return nil
		}
		select {
		case <-busy.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// end interrupts what runs, waits for its end, and closes the journal. Followers get everything,
// then their end.
func (s *Session) end(ctx context.Context, reason EndReason) error {
	moved := reason == EndedMoved
	s.mu.Lock()
	if s.ended != "" {
		if moved {
			s.log.Lose()
		}
		s.mu.Unlock()
		return nil
	}
	s.ended = reason
	s.log.BeginClose()
	if moved {
		s.log.Lose(s.shownEnds(s.log.Unacknowledged(), movedEnd)...)
	}
	s.keepTasks()
	s.clients.stopAbsence()
	s.cancelSlot()
	s.endOther()
	s.stopAwaiting()
	s.mu.Unlock()
	s.lease.following.Wait()
	waitErr := s.waitTurn(ctx)
	if err := s.stopCommand(ctx); waitErr == nil {
		waitErr = err
	}
	if !moved { // it goes on elsewhere
		s.endSession(context.WithoutCancel(ctx))
	}
	s.Servers().Use(nil)
	_ = s.setAgent(nil) // it returns errors of agents that are set only
	if s.work.background != nil {
		s.work.background.Close()
	}
	if err := s.work.outputs.Close(); err != nil {
		s.host.cfg.Log.Warn("outputs of calls not removed", "session", s.id, "error", err)
	}
	if err := s.work.snapshots.Close(); err != nil {
		s.host.cfg.Log.Warn("snapshots not removed", "session", s.id, "error", err)
	}
	if err := s.work.caches.Close(); err != nil {
		s.host.cfg.Log.Warn("caches of commands not removed", "session", s.id, "error", err)
	}
	s.awaitLast(ctx)

	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.shell.ran) > 0 && !moved {
		if err := s.acquire(); err != nil {
			s.host.cfg.Log.Error("commands of the user not recorded", "session", s.id, "error", err)
			s.shell.ran = nil
		}
		s.recordCommands()
	}
	defer s.host.leave(s)
	s.leaveDir()
	if err := s.log.Close(); err != nil {
		return err
	}
	return waitErr
}

// awaitLast waits until what is recorded is on disk; for a deferred store not for longer than a verb does.
func (s *Session) awaitLast(ctx context.Context) {
	ctx, cancel := s.host.storeContext(context.WithoutCancel(ctx))
	defer cancel()
	_ = s.log.AwaitDisk(ctx) // closing the log reports it
}

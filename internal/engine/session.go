package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// A Session is an open session. Its verbs are safe for concurrent use and return soon:
// none but RunCommand, Wait and Close waits for a model, a tool or a command.
type Session struct {
	host  *Host
	id    event.SessionID
	opts  Options   // fixed, but for its Manners, which mu guards
	env   *tool.Env // of the folder that turns work in; nil while that cannot be used
	tools toolset
	// budget is what it may use, with others or alone; nil: there is no limit.
	budget  *Budget
	foreign bool // it was not open here before

	mu         sync.Mutex
	fold       *fold
	log        journal.Journal // nil until the first prompt
	backlog    []event.Record  // durable and shown, not yet in the log
	failing    bool            // the last write to the log failed
	followers  map[*follower]struct{}
	gate       gate  // followers wait at it
	slot       *slot // what the session is busy with; nil when idle
	approvals  map[event.ApprovalID]*asking
	questions  map[event.QuestionID]chan reply
	attached   int           // clients that can answer
	held       int           // HoldFollowUps that are not released
	retrying   chan struct{} // a model call waits to be tried again until it is closed; nil: none does
	grants     approval.Grants
	source     tool.Source      // of Options.Servers; nil: none
	background *tool.Background // nil: there can be none
	remote     []*boundTool     // the source's tools, as last offered

	personShell *tool.ShellState   // of RunCommand; nil while the folder could not be used yet
	command     *personRun         // nil: none runs
	ran         []event.CommandRan // kept back until the next prompt
	reserved    int                // tasks that have a number

	fixedBytes int                    // of system prompt and tools in the last request; 0: none was made yet
	window     int                    // of the model of the last request, in tokens; 0: none was made yet
	clearing   map[string]*time.Timer // by ids of tasks that are done: when they leave the plan
	closed     bool
}

// A slot is the one thing a session can be busy with: a turn or a compaction.
type slot struct {
	turn   event.TurnID // "" for a compaction
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the slot is free again
}

func newSession(h *Host, id event.SessionID, o Options) *Session {
	o = h.withTasks(o)
	return &Session{
		host: h, id: id, opts: o,
		tools:     h.toolset(o.Toolset),
		budget:    cmp.Or(o.Budget, h.cfg.Budget),
		fold:      newFold(),
		followers: map[*follower]struct{}{},
		approvals: map[event.ApprovalID]*asking{},
		questions: map[event.QuestionID]chan reply{},
		grants:    approval.Grants{Now: h.cfg.Now},
		clearing:  map[string]*time.Timer{},
	}
}

// ID is the session's id.
func (s *Session) ID() event.SessionID { return s.id }

// State is what the session is now.
func (s *Session) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.fold.state
	st.Settings.ToolGroups = slices.Clone(st.Settings.ToolGroups)
	st.Settings.Options = maps.Clone(st.Settings.Options)
	st.Plan = slices.Clone(st.Plan)
	st.Phases = clonePhases(st.Phases)
	st.Steering = slices.Clone(st.Steering)
	st.FollowUps = slices.Clone(st.FollowUps)
	st.Busy = s.slot != nil
	st.Context = s.contextTokens()
	return st
}

// Head is the number of the last record.
func (s *Session) Head() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fold.state.Head
}

// Model is the model the next step will ask. A *ProviderError if there is none.
func (s *Session) Model() (model.Info, error) {
	m, err := s.host.cfg.Models.Resolve(s.State().Settings.Model)
	return m.Info, err
}

// Change edits the settings; nothing is recorded if edit changes nothing.
func (s *Session) Change(edit func(*event.Settings)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	settings := s.fold.state.Settings
	settings.ToolGroups = slices.Clone(settings.ToolGroups)
	settings.Options = maps.Clone(settings.Options)
	settings.Sandbox.Roots = slices.Clone(settings.Sandbox.Roots)
	edit(&settings)
	if sameSettings(settings, s.fold.state.Settings) {
		return nil
	}
	s.append("", event.SessionChanged{Settings: settings})
	return nil
}

func sameSettings(a, b event.Settings) bool {
	return a.Name == b.Name && a.Model == b.Model && a.Thinking == b.Thinking && a.Mode == b.Mode &&
		a.Asking == b.Asking && a.Sandbox.Equal(b.Sandbox) && a.Dir == b.Dir && a.SystemPrompt == b.SystemPrompt &&
		a.Instructions == b.Instructions && a.Archived == b.Archived && slices.Equal(a.ToolGroups, b.ToolGroups) &&
		maps.EqualFunc(a.Options, b.Options, slices.Equal)
}

// Save puts what there is on disk; without it a session reaches the disk with its first
// prompt. ErrUnsaved, ErrClosed.
func (s *Session) Save() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if err := s.flush(); err != nil {
		return unsaved(err)
	}
	if err := s.log.Sync(); err != nil {
		return unsaved(err)
	}
	return nil
}

// Interrupt ends what the session is busy with; a no-op when idle. What waits for people is
// withdrawn when it returns; the end is TurnEnded.
func (s *Session) Interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupt()
}

func (s *Session) interrupt() {
	if s.slot != nil {
		s.slot.cancel(ErrInterrupted)
		s.resolveAll(s.opts.Texts.Interrupted, event.ByInterrupt)
	}
}

// Wait returns when the session is idle, or with the cause of ctx.
func (s *Session) Wait(ctx context.Context) error {
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

// Close interrupts what runs, waits for its end, and gives the lease back. Followers get
// everything, then their end.
func (s *Session) Close(ctx context.Context) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.keepTasks()
	if s.slot != nil {
		s.slot.cancel(ErrInterrupted)
	}
	s.mu.Unlock()
	waitErr := s.Wait(ctx)
	if err := s.stopCommand(ctx); waitErr == nil {
		waitErr = err
	}
	s.UseServers(nil)
	if s.background != nil {
		s.background.Close()
	}
	s.awaitDisk()

	s.mu.Lock()
	defer s.mu.Unlock()
	s.tellCommands()
	for f := range s.followers {
		f.finish()
	}
	s.host.leave(s)
	s.leaveDir()
	if s.log == nil {
		return waitErr
	}
	err := s.flush()
	if cerr := s.log.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = waitErr
	}
	return err
}

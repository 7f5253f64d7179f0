package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
	"parley.dev/parley/internal/tool"
)

const (
	// NoticeRetold is the code of the Notice that an agent receives the conversation as text.
	NoticeRetold = "backend_retold"
	// NoticeNetwork is the code of the Notice that an agent has the network where the sandbox of the session has none.
	NoticeNetwork = "backend_network"
	// NoticePlace is the code of the Notice that a prompt waits until another agent of the back end has ended.
	NoticePlace = "backend_waits"
)

// A runningAgent is the agent of a session, with a process that runs a turn or waits for the next one.
type runningAgent struct {
	backend.Agent
	name    string          // of its back end
	opening backend.Opening // its Settings are those that hold
	record  uint64          // BackendOpened
	dirty   bool            // the agent has refused a change, of which it may have made a part

	ending sync.Once
	// The lock of the pool guards what follows.
	busy      bool
	closing   bool        // it is being ended
	idleSince time.Time   // when its last turn ended
	timer     *time.Timer // that ends it; nil: it is busy
}

// An agentUse is what the agent of a session is needed for.
type agentUse struct {
	turn     event.TurnID // "": it is not for a turn
	backend  string
	env      *tool.Env
	model    string
	thinking model.Thinking
	head     uint64        // the last node of the history that it has to know
	resume   bool          // an agent that does not have the history is of no use
	agent    *runningAgent // that the turn uses already; nil: none
}

// agent returns the agent of a session for a use: the one that runs, or one that is started. Earlier is the conversation as text for
// an agent that does not have it; "": it has. The caller calls restAgent after the use.
//
// ErrNothingToCompact, if use.resume is set and there is no session of the agent.
func (s *Session) agent(ctx context.Context, use *agentUse) (a *runningAgent, earlier string, err error) {
	want, err := s.openingOf(use)
	if err != nil {
		return nil, "", err
	}
	s.mu.Lock()
	known, running := s.fold.Backend, s.work.agent
	s.mu.Unlock()
	if known.Backend != use.backend || known.Told > 0 && known.Prompts() == 0 {
		known = session.BackendSession{} // also of an agent that may not have received the conversation
	}
	if running != nil && running.Alive() && (running == use.agent || running.has(known)) && s.host.agents.use(running) {
		goesOn, err := running.adjust(ctx, want)
		if goesOn || err != nil {
			use.agent = running
			return running, "", err
		}
	}
	if use.resume && (known.Session == "" || known.Fork && !known.Forkable()) {
		return nil, "", ErrNothingToCompact
	}
	a, err = s.openAgent(ctx, use, want, known, running)
	if err != nil {
		return nil, "", err
	}
	use.agent = a
	earlier, err = s.recordAgent(use, a, known)
	return a, earlier, err
}

// has reports whether the agent has what is known to be its session, in which no other process has worked since.
func (a *runningAgent) has(known session.BackendSession) bool {
	return a.ID() == known.Session && a.record == known.Seq && !known.Fork
}

// adjust changes what can be changed while the agent runs. GoesOn is false if it has to be started anew.
func (a *runningAgent) adjust(ctx context.Context, want backend.Opening) (goesOn bool, err error) {
	if !sameProcess(a.opening, want) {
		return false, nil
	}
	if !a.dirty && sameAgentSettings(a.opening.Settings, want.Settings) {
		return true, nil
	}
	err = a.Change(ctx, want.Settings)
	if errors.Is(err, backend.ErrUnsupported) {
		return false, nil
	}
	if a.dirty = err != nil; err == nil {
		a.opening.Settings = want.Settings
	}
	return err == nil, err
}

// openAgent ends the agent that runs, and starts another one, with the session that is known, or a copy of it, or a new one.
func (s *Session) openAgent(ctx context.Context, use *agentUse, want backend.Opening, known session.BackendSession, running *runningAgent) (*runningAgent, error) {
	want.Session = known.Session
	if known.Fork {
		want.Session = ""
	}
	copied := false // or tried
	if known.Fork && running != nil && running.Alive() && running.ID() == known.Session && s.host.agents.use(running) {
		copied = true
		id, err := forkAgent(ctx, running, known, known.Prompts())
		if err != nil {
			return nil, err
		}
		want.Session = id
	}
	if err := s.setAgent(nil); err != nil {
		return nil, err
	}
	if s.host.cfg.Backends == nil {
		return nil, &backend.Error{Backend: use.backend, Code: backend.CodeStart, Message: "no back ends are configured"}
	}
	driver, err := s.host.cfg.Backends(use.backend)
	if err != nil {
		return nil, &backend.Error{Backend: use.backend, Code: backend.CodeStart, Message: err.Error()}
	}
	a := &runningAgent{name: use.backend}
	if err := s.host.agents.enter(ctx, a, func() { s.notePlace(use) }); err != nil {
		return nil, err
	}
	if known.Fork && !copied {
		want.Session, err = s.forkStored(ctx, driver, want, known)
	}
	switch {
	case err != nil:
	case use.resume && want.Session == "":
		err = backend.ErrGone
	default:
		a.Agent, err = driver.Open(ctx, want)
	}
	if errors.Is(err, backend.ErrGone) && !use.resume {
		want.Session = ""
		a.Agent, err = driver.Open(ctx, want)
	}
	if err != nil {
		s.host.agents.leave(a)
		if errors.Is(err, backend.ErrGone) && use.resume {
			err = ErrNothingToCompact
		}
		return nil, err
	}
	a.opening = want
	return a, s.setAgent(a)
}

// notePlace records that a turn waits for a place of an agent.
func (s *Session) notePlace(use *agentUse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.Append(use.turn, event.Notice{Level: event.Info, Code: NoticePlace, Text: fmt.Sprintf("As many agents of %s work as may: the prompt waits until one of them is done.", use.backend)})
}

// recordAgent records the session of an agent that was opened. It returns the conversation for an agent that does not have it.
func (s *Session) recordAgent(use *agentUse, a *runningAgent, known session.BackendSession) (earlier string, err error) {
	messages := 0
	if a.opening.Session == "" {
		earlier, messages = s.earlier(use.head)
	}
	info := a.Info()
	e := event.BackendOpened{
		Backend: a.name, Session: a.ID(), Program: info.Program, Version: info.Version, Resumed: a.opening.Session != "", Told: messages,
	}
	if known.Fork && e.Resumed {
		e.Forked = known.Prompts()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if messages > 0 {
		s.log.Append(use.turn, event.Notice{Level: event.Warning, Code: NoticeRetold, Text: fmt.Sprintf("%s does not have this conversation, and receives it as text.", a.name)})
	}
	if info.Network && a.opening.Session == "" {
		s.log.Append(use.turn, event.Notice{Level: event.Warning, Code: NoticeNetwork, Text: fmt.Sprintf("The sandbox of this session has no network. The process of %s has it all the same, and so have its commands.", a.name)})
	}
	err = s.log.Commit(use.turn, e)
	a.record = s.fold.Backend.Seq
	return earlier, err
}

// maxEarlier is the length of the text with the conversation for an agent that does not have it, in bytes.
const maxEarlier = 64 << 10

// earlier returns the history up to a node as text, and how many messages it has.
func (s *Session) earlier(head uint64) (text string, messages int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var old []session.Entry
	for _, e := range s.fold.Entries {
		if e.Seq <= head {
			old = append(old, e)
		}
	}
	if len(old) == 0 {
		return "", 0
	}
	return "<earlier-conversation>\n" + s.fold.Transcript(old, event.Carryover{}, maxEarlier, "") + "</earlier-conversation>", len(old)
}

// modelName returns the model of the agent for records.
func (a *runningAgent) modelName() string { return cmp.Or(a.opening.Model, a.name) }

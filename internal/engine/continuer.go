package engine

import (
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A Continuer is a plugin that lets a session work without prompts: it begins turns, and can end those after any step. Both
// methods are called under the session's lock and must be quick; after a panic, the zero value holds. They are not called for
// subagents, and no turn is begun in sessions of a back end.
type Continuer interface {
	// AfterStep is called after each step of a turn that has an answer, and before the end of each turn is recorded.
	AfterStep(Progress) StepRuling
	// NextTurn returns the turn that an idle session begins by itself; nil: none. It is called after a compaction or a turn that
	// was not interrupted and did not fail, unless a follow-up begins its own turn, and by [Client.Continue].
	NextTurn(Progress) *Continuation
}

// A Progress is the state of a session's work, for a [Continuer], which must not change it.
type Progress struct {
	Now      time.Time
	Settings event.Settings
	Usage    model.Usage // of all model calls of the session

	// The rest is zero between turns.

	Turn     event.TurnID
	Began    time.Time
	Prompted bool         // a prompt of a user is part of the turn
	Steps    int          // begun
	Calls    []model.Call // of the last step, those that succeeded

	Reason  event.TurnReason // of the end of the turn; "": it goes on
	Failure *event.Failure
	Client  event.Client // that has interrupted the turn
}

// A StepRuling is the decision of a [Continuer] after a step.
type StepRuling struct {
	Change func(*event.Settings) // recorded if it changes anything; nil: nothing does
	Stop   bool                  // the turn ends, unless a prompt waits for it
}

// A Continuation is a turn that a session begins by itself. Its prompt is a [event.UserMessage] ByEngine.
type Continuation struct {
	Turn   event.TurnID // "": made up
	Text   string
	Tuning Tuning
	Change func(*event.Settings) // recorded with the start of the turn; nil: nothing changes
}

// Continue begins the turn that a plugin of the session has for it, unless the session is busy. Prompts and Continue come
// one after the other: a prompt that comes later is one to the turn of the first. ErrClosed, ErrSubagent, ErrBatch, *LockedError.
func (c *Client) Continue() error {
	s := c.session
	if err := s.lockToWrite(); err != nil {
		return err
	}
	defer s.unlock()
	if err := s.checkPrompter(c); err != nil {
		return err
	}
	if s.slot == nil {
		s.beginNext()
	}
	return nil
}

// beginNext starts the turn of the next follow-up, or else the one that a plugin returns. The session is idle.
func (s *Session) beginNext() {
	if s.beginQueued(); s.slot == nil {
		s.beginContinuation()
	}
}

// beginAfter starts the next turn after what the session was busy with. After an interrupt or a failure only a follow-up is next.
func (s *Session) beginAfter(busy *slot, failed bool) {
	if s.beginSteered(); failed || busy.stopped {
		s.beginQueued()
	} else {
		s.beginNext()
	}
}

// beginContinuation starts the turn that a plugin returns, if any. Another process that requests the session gets it first,
// and a host that waits for its sessions to be idle is not kept waiting.
func (s *Session) beginContinuation() {
	plugins := pluginsOf[Continuer](s)
	if len(plugins) == 0 || s.ended != "" || s.fold.State.Settings.Backend != "" || s.opts.Budget.Err() != nil ||
		s.host.finishing.Load() || s.host.leaseRequested(s.id) {
		return
	}
	for _, plugin := range plugins {
		var next *Continuation
		s.guard("deciding how a session goes on", "", func() { next = plugin.NextTurn(s.progress()) })
		if next != nil {
			s.beginOwn(next)
			return
		}
	}
}

func (s *Session) beginOwn(next *Continuation) {
	var before []event.Event
	if settings := cloneSettings(s.fold.State.Settings); next.Change != nil {
		if next.Change(&settings); !sameSettings(settings, s.fold.State.Settings) {
			before = append(before, event.SessionChanged{Settings: settings})
		}
	}
	q := event.Queued{ID: s.newPromptID(), Blocks: []model.Block{model.TextBlock(next.Text)}}
	if _, err := s.begin(q, next.Turn, next.Tuning, event.ByEngine, before...); err != nil {
		s.log.Report(err) // Continue tries again
	}
}

// progress returns the state of the work between turns.
func (s *Session) progress() Progress {
	return Progress{Now: s.host.cfg.Now(), Settings: cloneSettings(s.fold.State.Settings), Usage: s.fold.State.Usage}
}

// progress returns the state of the work in the turn. It runs under the session's lock.
func (t *turn) progress() Progress {
	p := t.s.progress()
	p.Turn, p.Began, p.Prompted, p.Steps = t.id, t.began, t.prompted, t.s.fold.Open.Steps
	return p
}

// stopsAfter asks the plugins about a step, and reports whether the turn ends with it. A prompt that waits is not lost by that.
func (t *turn) stopsAfter(answer stepAnswer) bool {
	s := t.s
	if len(pluginsOf[Continuer](s)) == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := t.progress()
	for _, call := range answer.Calls() {
		if r, ok := s.fold.Results[event.CallID(call.ID)]; ok && !r.IsError {
			p.Calls = append(p.Calls, call)
		}
	}
	st := &s.fold.State
	return s.rule(p) && len(st.Steering)+len(st.FollowUps) == 0
}

// ruleEnd asks the plugins about the end of the turn. It runs under the session's lock.
func (t *turn) ruleEnd(end event.TurnEnded) {
	if len(pluginsOf[Continuer](t.s)) == 0 {
		return
	}
	p := t.progress()
	p.Reason, p.Failure, p.Client = end.Reason, end.Failure, end.Client
	t.s.rule(p)
}

// rule asks the plugins, records what they change, and reports whether one ends the turn.
func (s *Session) rule(p Progress) (stop bool) {
	for _, plugin := range pluginsOf[Continuer](s) {
		s.guard("deciding about a step", "", func() {
			ruling := plugin.AfterStep(p)
			if ruling.Change != nil {
				s.change(ruling.Change, event.Client{})
			}
			stop = stop || ruling.Stop
		})
		p.Settings = cloneSettings(s.fold.State.Settings)
	}
	return stop
}

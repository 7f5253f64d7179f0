package engine

import (
	"context"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
)

// compactAgent is Compact for a session whose turns an agent runs: it summarises its own context. An agent that cannot: ErrOfBackend, which
// wait returns if the agent has to be started first. Without a session of the agent it is ErrNothingToCompact.
func (s *Session) compactAgent(ctx context.Context, name string) (wait func() (event.Compacted, error), err error) {
	check := func() error {
		switch running := s.work.agent; {
		case running != nil && running.name == name && !running.Info().Compacts:
			return ErrOfBackend
		case s.opts.Budget.Err() != nil:
			return s.opts.Budget.Err()
		}
		return s.enterDir()
	}
	return s.startCompaction(ctx, check, func(ctx context.Context) (event.Compacted, error) {
		defer s.restAgent()
		s.mu.Lock()
		settings := s.fold.State.Settings
		use := agentUse{backend: name, env: s.work.env, model: settings.Model, thinking: settings.Thinking, head: s.fold.Head(), resume: true}
		s.mu.Unlock()
		a, _, err := s.agent(ctx, &use)
		if err != nil {
			return event.Compacted{}, err
		}
		if !a.Info().Compacts {
			return event.Compacted{}, ErrOfBackend
		}
		s.show("", event.CompactionStarted{Reason: event.CompactAsked})
		s.showStatus("", event.Compacting)
		if _, err := s.runCompactionHooks(ctx, "", event.CompactAsked, ""); err != nil {
			return event.Compacted{}, err
		}
		summary, err := a.Compact(ctx)
		if err != nil {
			return event.Compacted{}, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.agentCompacted("", event.CompactAsked, summary, 0), nil
	})
}

// agentCompacted records that an agent has summarised its context. Our own history stays as it is; see event.Compacted. The caller holds
// the session's lock.
func (s *Session) agentCompacted(turn event.TurnID, reason event.CompactReason, summary string, tokens int) event.Compacted {
	e := event.Compacted{Reason: reason, Summary: summary, TokensBefore: tokens, Agent: true}
	if len(s.fold.Entries) > 0 {
		e.KeptFrom = s.fold.Entries[0].Seq
	}
	s.log.Append(turn, e)
	return e
}

// compacting shows that the agent summarises its context.
func (d *delegation) compacting() {
	if d.compacts {
		return
	}
	d.endMessage(nil, backend.MessageEnd{})
	d.compacts = true
	d.t.show(event.CompactionStarted{Reason: event.CompactThreshold})
	d.t.showStatus(event.Compacting)
}

// compacted records the result.
func (d *delegation) compacted(u backend.Compacted) {
	d.compacting()
	d.compacts = false
	t := d.t
	if u.Failed {
		t.append(event.Notice{Level: event.Warning, Code: NoticeCompactionFailed, Text: d.agent.name + " could not summarise its context"})
	} else {
		t.s.mu.Lock()
		t.s.agentCompacted(t.id, event.CompactThreshold, u.Summary, d.tokens)
		t.s.mu.Unlock()
	}
	t.showStatus(event.Thinking)
}

// endCompaction ends a compaction of which the agent has not reported the end.
func (d *delegation) endCompaction() {
	if d.compacts {
		d.compacts = false
		d.t.append(event.Notice{Level: event.Info, Code: NoticeCompactionInterrupted, Text: "the compaction was interrupted"})
	}
}

package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/lock"
)

// An agentPool bounds how many agents of a back end a host has, and ends those that have had no turn for some time. An agent has its
// place until its process has ended.
type agentPool struct {
	limits func(name string) backend.Limits // nil: the defaults

	mu     lock.Mutex
	agents map[string][]*runningAgent // by back end
	change chan struct{}              // closed when an agent rests or has left; nil: nothing waits for that
}

// limitsOf returns the limits of a back end.
func (p *agentPool) limitsOf(name string) backend.Limits {
	var l backend.Limits
	if p.limits != nil {
		l = p.limits(name)
	}
	return backend.Limits{Idle: cmp.Or(l.Idle, backend.DefaultIdle), Most: cmp.Or(l.Most, backend.DefaultMost)}
}

// enter gives an agent that is about to be opened a place, for which one may be ended that rests. Waits is called once if all others
// work. The error is the cause of ctx, which ends the wait.
func (p *agentPool) enter(ctx context.Context, a *runningAgent, waits func()) error {
	most := p.limitsOf(a.name).Most
	for noted := false; ; {
		idle, change := p.tryEnter(a, most)
		switch {
		case idle != nil:
			p.end(idle)
			continue
		case change == nil:
			return nil
		}
		if !noted {
			waits()
			noted = true
		}
		select {
		case <-change:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// tryEnter gives an agent a place, unless there is none: then it returns the agent that rests for the longest time, or, without one, what
// is closed when that may have changed.
func (p *agentPool) tryEnter(a *runningAgent, most int) (idle *runningAgent, change <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.agents[a.name]
	if len(all) < most {
		if p.agents == nil {
			p.agents = map[string][]*runningAgent{}
		}
		a.busy = true
		p.agents[a.name] = append(all, a)
		return nil, nil
	}
	for _, other := range all {
		if !other.busy && (idle == nil || other.idleSince.Before(idle.idleSince)) {
			idle = other
		}
	}
	if idle != nil {
		p.retire(idle)
		return idle, nil
	}
	if p.change == nil {
		p.change = make(chan struct{})
	}
	return nil, p.change
}

// retire has nothing use an agent any more. The caller holds the lock.
func (p *agentPool) retire(a *runningAgent) {
	a.busy, a.closing = true, true
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
}

// use takes an agent for a turn. It reports false if the agent is being ended.
func (p *agentPool) use(a *runningAgent) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.closing {
		return false
	}
	a.busy = true
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
	return true
}

// rest ends the use of an agent. It is ended when it has rested for the limit.
func (p *agentPool) rest(a *runningAgent) {
	limit := p.limitsOf(a.name).Idle
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.closing || !a.busy {
		return
	}
	a.busy, a.idleSince = false, time.Now()
	var timer *time.Timer
	timer = time.AfterFunc(limit, func() {
		p.mu.Lock()
		expired := a.timer == timer
		if expired {
			p.retire(a)
		}
		p.mu.Unlock()
		if expired {
			p.end(a)
		}
	})
	a.timer = timer
	p.wake()
}

// wake has what waits look again. The caller holds the lock.
func (p *agentPool) wake() {
	if p.change != nil {
		close(p.change)
		p.change = nil
	}
}

// end ends an agent, and waits until its process has ended.
func (p *agentPool) end(a *runningAgent) {
	p.mu.Lock()
	p.retire(a)
	p.mu.Unlock()
	a.ending.Do(func() {
		a.Close()
		p.leave(a)
	})
}

// leave frees the place of an agent that was not opened, or has ended.
func (p *agentPool) leave(a *runningAgent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.agents[a.name] = slices.DeleteFunc(p.agents[a.name], func(other *runningAgent) bool { return other == a })
	p.wake()
}

// setAgent makes a the agent of the session, and ends the one before. A session that was closed has none: ErrClosed.
func (s *Session) setAgent(a *runningAgent) error {
	s.mu.Lock()
	before, closed := s.work.agent, a != nil && s.ended != ""
	if closed {
		before = a
	} else {
		s.work.agent = a
	}
	s.mu.Unlock()
	if before != nil {
		s.host.agents.end(before)
	}
	if closed {
		return ErrClosed
	}
	return nil
}

// dropAgent is setAgent(nil) for a caller that holds the session's lock: the end of the session waits until the agent has ended.
func (s *Session) dropAgent() {
	if a := s.work.agent; a != nil {
		s.work.agent = nil
		s.lease.following.Go(func() { s.host.agents.end(a) })
	}
}

// restAgent ends the use of the agent of the session. One that has died is not kept.
func (s *Session) restAgent() {
	s.mu.Lock()
	a := s.work.agent
	s.mu.Unlock()
	switch {
	case a == nil:
	case a.Alive():
		s.host.agents.rest(a)
	default:
		_ = s.setAgent(nil) // it returns errors of agents that are set only
	}
}

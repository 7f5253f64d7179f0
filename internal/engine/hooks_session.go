package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/hook"
)

// This file runs the hooks that belong to a session, not to a call: at its start and end, before
// compactions, and when the user is asked to approve a call.

func (s *Session) hasHooks(m event.HookMoment, dir string) bool {
	hooks := s.host.cfg.Hooks
	return hooks != nil && hooks.Has(m, dir)
}

// hookReport returns what hooks are sent at every moment.
func (s *Session) hookReport(m event.HookMoment, turn event.TurnID, dir string) hook.Report {
	r := hook.Report{Moment: m, Session: s.id, Turn: turn, Dir: dir, Inner: s.opts.inner}
	settings := s.State().Settings
	r.Mode = cmp.Or(settings.Mode, string(ModeOf(settings)))
	return r
}

// runHooks runs the hooks of a moment. A panic in them denies.
func (s *Session) runHooks(ctx context.Context, r hook.Report) (ruling hook.Ruling) {
	defer func() {
		if p := recover(); p != nil {
			s.host.cfg.Log.Error("panic in hooks", "session", s.id, "moment", r.Moment, "panic", p)
			text := fmt.Sprintf("the hooks of %s failed inside: %v", r.Moment, p)
			ruling = hook.Ruling{Denied: r.Moment != event.AtTurnEnd, Reason: text, Failed: []string{text}}
		}
	}()
	return s.host.cfg.Hooks.Run(ctx, r)
}

// The sources of a session that starts, as hooks are sent them.
const (
	startedNew       = "startup"
	startedResumed   = "resume"
	startedCompacted = "compact"
)

// startSession runs the hooks of the start of the session, once, before its first turn.
func (t *turn) startSession(ctx context.Context) {
	s := t.s
	s.mu.Lock()
	first, source := !s.opened.started && !s.opts.inner, startedNew
	s.opened.started = true
	if s.fold.State.Turns > 1 {
		source = startedResumed
	}
	s.mu.Unlock()
	if first {
		t.announceStart(ctx, source)
	}
}

// announceStart runs the hooks of a start. What they add is read by the model.
func (t *turn) announceStart(ctx context.Context, source string) {
	if !t.hasHooks(event.AtSessionStart) {
		return
	}
	report := t.report(event.AtSessionStart)
	report.Source, report.Model = source, t.model
	ruling := t.runHooks(ctx, report)
	t.recordRuling(ruling)
	if ruling.Context != "" {
		t.addContext(ruling.Context)
	}
}

// sessionEndLimit bounds the hooks of the end of a session.
const sessionEndLimit = 10 * time.Second

// endSession runs the hooks of the end of the session if those of its start have run.
func (s *Session) endSession(ctx context.Context) {
	s.mu.Lock()
	started, dir := s.opened.started && !s.opts.inner, s.fold.State.Dir()
	s.opened.started = false
	s.mu.Unlock()
	if !started || !s.hasHooks(event.AtSessionEnd, dir) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sessionEndLimit)
	defer cancel()
	ruling := s.runHooks(ctx, s.hookReport(event.AtSessionEnd, "", dir))
	for _, failed := range ruling.Failed {
		s.host.cfg.Log.Warn(failed, "session", s.id) // no client reads records any more
	}
}

// errCompactionDenied is why a compaction that hooks have denied does not happen.
var errCompactionDenied = errors.New("a hook denied the compaction")

// runCompactionHooks runs the hooks before a compaction, and returns what the model that summarises is
// to observe besides.
func (s *Session) runCompactionHooks(ctx context.Context, turn event.TurnID, reason event.CompactReason, guidance string) (string, error) {
	dir := s.State().Dir()
	if !s.hasHooks(event.BeforeCompact, dir) {
		return guidance, nil
	}
	report := s.hookReport(event.BeforeCompact, turn, dir)
	report.Trigger, report.Guidance = "auto", guidance
	if reason == event.CompactAsked {
		report.Trigger = "manual"
	}
	ruling := s.runHooks(ctx, report)
	s.recordRuling(turn, ruling)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case ruling.Denied:
		return "", fmt.Errorf("%w: %s", errCompactionDenied, ruling.Reason)
	}
	return hook.Join(guidance, ruling.Context), nil
}

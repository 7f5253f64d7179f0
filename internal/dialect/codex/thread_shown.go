package codex

import (
	"cmp"
	"context"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file shows threads.

// shown returns a thread as clients see it, without turns; settings are its own, or those it was created with.
func (c *conn) shown(s engine.Summary, settings event.Settings, status ThreadStatus) Thread {
	x, name := extraOf(settings), cmp.Or(s.Model, c.defaultModel())
	recency := s.Updated.Unix()
	source := SessionSource{Word: cmp.Or(x.Source, "vscode")}
	shown := Thread{
		ID: string(s.ID), SessionID: string(cmp.Or(s.Parent, s.ID)), ForkedFromID: nullString(s.Parent), Preview: s.Title, Ephemeral: x.Ephemeral,
		HistoryMode: ThreadHistoryModePaginated, ModelProvider: c.providerOf(name), Model: nullString(c.modelID(name)), ReasoningEffort: effortOf(settings.Thinking),
		CreatedAt: s.Created.Unix(), UpdatedAt: recency, RecencyAt: &recency, Status: status, Cwd: s.Workspace, CLIVersion: schemaVersion,
		Originator: nullString(x.Originator), Source: source, ThreadSource: nullString(x.ThreadSource), Name: nullString(s.Name), Turns: []Turn{},
	}
	if x.Git != (GitInfo{}) {
		shown.GitInfo = &x.Git
	}
	if !x.Ephemeral {
		shown.Path = nullString(c.cfg.Host.Location(s.ID))
	}
	return shown
}

// shownOpen returns a thread that is open.
func (c *conn) shownOpen(s *engine.Session) Thread {
	st, accepts := s.State(), true
	shown := c.shown(st.Summary, st.Settings, statusOf(s))
	shown.Model, shown.ModelProvider, shown.Cwd = nullString(c.modelID(c.modelOf(st.Settings))), c.providerOf(c.modelOf(st.Settings)), st.Dir() // with overrides that wait
	shown.CanAcceptDirectInput = &accepts
	return shown
}

// shownStored returns a thread that may be open.
func (c *conn) shownStored(ctx context.Context, s engine.Summary) Thread {
	if open, err := c.cfg.Host.Session(s.ID); err == nil {
		return c.shownOpen(open)
	}
	return c.shown(s, c.created(ctx, s.ID), NotLoadedThreadStatus{})
}

// created returns the settings that a session was created with.
func (c *conn) created(ctx context.Context, id event.SessionID) event.Settings {
	for rec, err := range c.cfg.Host.Read(ctx, id) {
		if err != nil {
			break // the thread is shown without them
		}
		created, _ := rec.Event.(event.SessionCreated)
		return created.Settings
	}
	return event.Settings{}
}

// statusOf returns what an open thread does.
func statusOf(s *engine.Session) ThreadStatus {
	st := s.State()
	if st.Turn == "" && !st.Busy {
		return IdleThreadStatus{}
	}
	flags := []ThreadActiveFlag{}
	approvals, questions := s.Waiting()
	if len(approvals) > 0 {
		flags = append(flags, ThreadActiveFlagWaitingOnApproval)
	}
	if len(questions) > 0 {
		flags = append(flags, ThreadActiveFlagWaitingOnUserInput)
	}
	return ActiveThreadStatus{ActiveFlags: flags}
}

// instructionSources returns the files whose text models are given.
func instructionSources(s *engine.Session) []string {
	sources := engine.MemoryFiles(s.State().Workspace, s.Options().ContextFiles)
	if sources == nil {
		return []string{}
	}
	return sources
}

package scaiflux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/export/markdown"
	"parley.dev/parley/internal/model"
)

// This file contains the commands about the conversation and the session.

type cleared struct {
	SessionID string `json:"session_id"`
	Messages  int    `json:"cleared_messages"`
}

func (c *conn) clear(string) outcome {
	removed, err := c.session.Branch(0)
	if errors.Is(err, engine.ErrTurnActive) {
		return cannot("turn_in_progress", "not possible while a turn is running")
	}
	if err != nil {
		return cannot("internal", err.Error())
	}
	zero := 0
	return outcome{
		text: "conversation cleared", data: cleared{string(c.session.ID()), removed},
		changed: &StateChanged{ContextPct: &zero}, clear: true,
	}
}

type compacted struct {
	Before  int `json:"before_tokens"`
	After   int `json:"after_tokens"`
	Removed int `json:"removed_messages"`
}

func (c *conn) compact(args string) (wait func() outcome) {
	ended, err := c.session.Compact(context.Background(), args)
	if err != nil {
		return func() outcome { return c.compactEnd(event.Compacted{}, err) }
	}
	return func() outcome { return c.compactEnd(ended()) }
}

func (c *conn) compactEnd(done event.Compacted, err error) outcome {
	provider, isProvider := errors.AsType[*model.Error](err)
	switch {
	case errors.Is(err, engine.ErrInterrupted):
		return cannot("interrupted", "interrupted; nothing changed")
	case errors.Is(err, engine.ErrTurnActive):
		return cannot("turn_in_progress", "not possible while a turn is running")
	case errors.Is(err, engine.ErrBudget):
		return cannot("budget_exceeded", err.Error())
	case errors.Is(err, engine.ErrNothingToCompact):
		return cannot("nothing_to_compact", "the conversation is too short to compact")
	case isProvider:
		return cannot(failureCodes.Get()[string(provider.Kind)].code, err.Error())
	case err != nil:
		return cannot("internal", err.Error())
	}
	pct, _ := c.contextPercent()
	return outcome{
		text:    fmt.Sprintf("compacted %s to %s tokens, %s replaced by a summary", thousands(done.TokensBefore), thousands(done.TokensAfter), count(done.Removed, "message")),
		data:    compacted{done.TokensBefore, done.TokensAfter, done.Removed},
		changed: &StateChanged{ContextPct: &pct},
	}
}

type sessionList struct {
	SessionID string         `json:"session_id"`
	Path      string         `json:"path"`
	Sessions  []shownSession `json:"sessions"`
}

type shownSession struct {
	ID        string `json:"id"`
	UpdatedAt string `json:"updated_at"` // RFC 3339, UTC
	Turns     int    `json:"turns"`
	Title     string `json:"title"`
}

func (c *conn) sessions(string) outcome {
	page, err := c.cfg.Host.List(context.Background(), engine.Query{Workspace: c.session.State().Dir()})
	if err != nil {
		return cannot("internal", err.Error())
	}
	id := c.session.ID()
	list := sessionList{SessionID: string(id), Path: c.cfg.Host.Location(id), Sessions: []shownSession{}}
	var text strings.Builder
	fmt.Fprintf(&text, "session %s", id)
	for _, s := range page.Sessions {
		title := s.Title
		if s.Name != "" {
			title = s.Name
		}
		updated := s.Updated.UTC().Format("2006-01-02T15:04:05Z")
		list.Sessions = append(list.Sessions, shownSession{string(s.ID), updated, s.Turns, title})
		fmt.Fprintf(&text, "\n%s  %s  %s  %s", s.ID, updated, count(s.Turns, "turn"), title)
	}
	return outcome{text: text.String(), data: list}
}

type writtenFile struct {
	Path string `json:"path"`
}

// export writes the conversation to a file; a relative path begins at the workspace.
func (c *conn) export(args string) (wait func() outcome) {
	workspace := c.session.State().Dir()
	if args == "" {
		return func() outcome { return exportWithin(workspace, c.session) }
	}
	path := args
	if !filepath.IsAbs(path) {
		path = filepath.Join(workspace, path)
	}
	return func() outcome { return exportTo(path, c.session) }
}

// exportWithin writes to the default place in the workspace. The user has not chosen that path, so
// a link of the project cannot redirect it to a file outside.
func exportWithin(workspace string, s *engine.Session) outcome {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return cannot("not_saved", err.Error())
	}
	defer root.Close()
	folder := filepath.Join(".scaiflux", "exports")
	if err := root.MkdirAll(folder, 0o700); err != nil {
		return cannot("not_saved", err.Error())
	}
	name := filepath.Join(folder, string(s.ID())+".md")
	f, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return cannot("not_saved", err.Error())
	}
	return exportFile(f, filepath.Join(workspace, name), s)
}

func exportTo(path string, s *engine.Session) outcome {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return cannot("not_saved", path+" is not a file")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return cannot("not_saved", err.Error())
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return cannot("not_saved", err.Error())
	}
	return exportFile(f, path, s)
}

// exportFile writes the conversation to an open file, and closes it.
func exportFile(f *os.File, path string, s *engine.Session) outcome {
	err := markdown.Write(f, s.Log().Records(context.Background()))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return cannot("not_saved", err.Error())
	}
	return outcome{text: "exported to " + path, data: writtenFile{path}}
}

func (c *conn) resume(string) outcome {
	return cannot("not_in_serve", "not possible in serve mode: one process is one session; start another with --resume")
}

func (c *conn) exit(string) outcome { return outcome{text: "bye", exit: true} }

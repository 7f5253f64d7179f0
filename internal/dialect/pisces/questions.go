package pisces

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"parley.dev/parley/internal/atomicfile"
	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file contains what is read out of a session's records when a client asks.

func (s *session) history(ctx context.Context) (*sessionfile.History, error) {
	return sessionfile.ReadHistory(s.eng.Log().Records(ctx), s.view.fold.With)
}

// answerAt answers with the session as of the events that were sent before the answer: no more,
// and no less.
func (s *session) answerAt(ctx context.Context, m command, data func(*sessionfile.History) any) {
	s.tryAt(ctx, m, func(h *sessionfile.History) (any, error) { return data(h), nil })
}

// tryAt is answerAt for data that can fail.
func (s *session) tryAt(ctx context.Context, m command, data func(*sessionfile.History) (any, error)) {
	s.pump.At(func(head uint64) [][]byte {
		h, err := sessionfile.ReadHistory(upTo(head, s.eng.Log().Records(ctx)), s.view.fold.With)
		if err != nil {
			return [][]byte{outcome(m, nil, err)}
		}
		answer, err := data(h)
		return [][]byte{outcome(m, answer, err)}
	})
}

// upTo returns records without those after head.
func upTo(head uint64, records iter.Seq2[event.Record, error]) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for rec, err := range records {
			if rec.Seq > head || !yield(rec, err) {
				return
			}
		}
	}
}

func (s *session) stats(messages []message.Message) SessionStats {
	stats := statsOf(messages)
	stats.SessionID, stats.SessionFile = string(s.eng.ID()), s.path()
	return stats
}

// exportHTML writes the session as a page (export_html).
func (c *conn) exportHTML(ctx context.Context, s *session, path string) (any, error) {
	if s.path() == "" {
		return nil, errors.New("Cannot export in-memory session to HTML") //nolint:staticcheck // the protocol's words
	}
	if path == "" {
		path = sessionfile.PageName(s.path())
	}
	if err := s.eng.Save(); err != nil {
		return nil, err
	}
	return ExportedHTML{path}, c.writePage(ctx, s.eng, c.absolute(path))
}

func (c *conn) writePage(ctx context.Context, eng *engine.Session, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), sessionfile.FolderMode); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	file, err := atomicfile.Create(path, sessionfile.FileMode)
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	defer file.Cleanup() //nolint:errcheck // what was replaced has nothing to clean
	w := bufio.NewWriter(file)
	err = c.cfg.Page(ctx, w, eng.State().Settings.Name, c.cfg.Host.Read(ctx, eng.ID()), eng.Log().Blob)
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}

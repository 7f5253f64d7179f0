package native

import (
	"context"
	"errors"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file contains the requests about files that tools changed.

// changes reports what tools changed in files, all in all (session/changes).
func (s *session) changes(ctx context.Context, p *SessionChangesParams) (result SessionChangesResult, err error) {
	changed, err := s.eng.Files().Changes(ctx, event.TurnID(p.Turn))
	if errors.Is(err, engine.ErrNoTurn) {
		err = invalidMember("turn", "is not a turn of the session")
	}
	if err != nil {
		return result, err
	}
	result = SessionChangesResult{Files: []ChangedFile{}, Untracked: untrackedCalls(changed.Untracked)}
	for _, f := range changed.Files {
		result.Files = append(result.Files, ChangedFile{f.Path, f.Op, f.Added, f.Removed, f.Diff, f.Cut, f.Missing})
	}
	return result, nil
}

// restore puts files back as they were, or reports how (session/restore).
func (s *session) restore(ctx context.Context, p *SessionRestoreParams) (result SessionRestoreResult, err error) {
	restored, err := s.client.Restore(ctx, p.Before, p.Apply)
	if errors.Is(err, engine.ErrNoRecord) {
		err = invalidMember("before", "is neither the number of a record nor the one after the last")
	}
	if err != nil {
		return result, err
	}
	result = SessionRestoreResult{Files: []RestoredFile{}, Untracked: untrackedCalls(restored.Untracked)}
	for _, f := range restored.Files {
		result.Files = append(result.Files, RestoredFile{f.Path, f.Op, f.Diff, f.Cut, f.Missing, f.Outside})
	}
	return result, nil
}

func untrackedCalls(calls []engine.UntrackedCall) (list []UntrackedCall) {
	for _, c := range calls {
		list = append(list, UntrackedCall{c.Seq, c.Call, c.Tool})
	}
	return list
}

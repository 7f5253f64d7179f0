package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/sessionlog"
)

// intakeBatch is how many records are written at once.
const intakeBatch = 256

// An intake makes a session of records that have happened elsewhere.
type intake struct {
	ctx context.Context // of the caller: only a deferred store is not waited for when it ends
	s   *Session
	// records begins with a SessionCreated; all are numbered, and outputs are in them.
	records iter.Seq2[event.Record, error]
	// edit fits a record in, which the session's state comes before; nil: as it is.
	edit func(*event.Record) error
	// blob is where the payloads are that records name; nil: there are none.
	blob func(address string) ([]byte, error)
	kept map[string]string // their addresses, by those that they had
	away bool              // a deferred store did not answer in time
}

func noBlob(address string) ([]byte, error) {
	return nil, fmt.Errorf("blob %s: there are none", address)
}

// takeIn opens a session with the records of in, all of it on disk. What they leave open is
// closed, and what waits in queues is forgotten; then comes last, unless it is nil. After an
// error there is no such session, or there is none soon if a deferred store does not answer, unless there was one before: ErrExists. ErrTooManyOpen.
func (h *Host) takeIn(in intake, last func(*Session)) (*Session, error) {
	s, err := h.takeAll(in, last)
	if err == nil {
		h.reportOpened(Opened{Session: s, From: s.head() + 1})
	}
	return s, err
}

// takeAll is takeIn without the report.
func (h *Host) takeAll(in intake, last func(*Session)) (*Session, error) {
	s := in.s
	if err := h.register(s); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.unlock()
	err := in.store()
	if err == nil {
		err = in.finish(last)
	}
	if err != nil {
		h.leave(s)
		s.ended = EndedByAll
		return nil, errors.Join(err, in.discard())
	}
	s.work.env, _ = s.surroundings(s.fold.State.Dir()) // a folder that is gone is an error of the next prompt
	return s, nil
}

// save writes what there is. It does not wait longer for a deferred store than a verb does.
func (in *intake) save() error {
	ctx, cancel := in.s.host.storeContext(in.ctx)
	defer cancel()
	err := in.s.log.Save(ctx)
	in.away = err != nil && ctx.Err() != nil
	return err
}

// discard removes what was stored. A deferred store that does not answer is not waited for: then that is removed later.
func (in *intake) discard() error {
	s := in.s
	if !s.log.Deferred() {
		return s.log.Discard(context.Background())
	}
	s.mu.Unlock()
	defer s.mu.Lock()
	removed := make(chan error, 1)
	go func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		removed <- s.log.Discard(context.Background())
	}()
	if in.away {
		return nil
	}
	ctx, cancel := s.host.storeContext(context.Background())
	defer cancel()
	select {
	case err := <-removed:
		return err
	case <-ctx.Done():
		return errNoAnswer
	}
}

// store writes the records and folds them.
func (in *intake) store() error {
	s := in.s
	in.kept = map[string]string{}
	if in.blob == nil {
		in.blob = noBlob
	}
	for rec, err := range in.records {
		if err != nil {
			return err
		}
		rec.Time = rec.Time.UTC()
		if in.edit != nil {
			if err := in.edit(&rec); err != nil {
				return err
			}
		}
		if err := in.keep(&rec); err != nil {
			return fmt.Errorf("record %d: %w", rec.Seq, err)
		}
		s.log.Add(rec)
		if s.log.Created() && s.log.Pending() < intakeBatch {
			continue
		}
		if err := in.save(); err != nil {
			return err
		}
	}
	return in.save()
}

// finish makes a session at rest of what was stored.
func (in *intake) finish(last func(*Session)) error {
	s := in.s
	if s.fold.Incomplete {
		loaded, err := s.fold.Reload(s.fold.Head(), s.log.All(in.ctx), s.loadOutput)
		if err != nil {
			return err
		}
		s.fold.Adopt(loaded)
	}
	if err := s.closeInherited(); err != nil {
		return err
	}
	if st := s.fold.State; len(st.Steering)+len(st.FollowUps) > 0 {
		s.log.Append("", event.QueueChanged{})
	}
	if last != nil {
		last(s)
	}
	if err := in.save(); err != nil {
		return err
	}
	return s.log.Sync()
}

// keep brings the payloads that a record names, or has in it, to the session's own blobs.
func (in *intake) keep(rec *event.Record) error {
	var err error
	switch e := rec.Event.(type) {
	case event.UserMessage:
		e.Blocks, err = in.keepBlocks(e.Blocks)
		rec.Event = e
	case event.AssistantMessage:
		e.Blocks, err = in.keepBlocks(e.Blocks)
		rec.Event = e
	case event.ToolEnded:
		if e.Images, err = in.keepImages(e.Images); err != nil {
			return err
		}
		if e.Changes, err = in.keepChanges(e.Changes); err != nil {
			return err
		}
		e.Shell, err = in.keepShell(e.Shell)
		rec.Event = e
		if err == nil {
			err = sessionlog.LoadOutput(rec, in.blob)
		}
	case event.FilesRestored:
		e.Changes, err = in.keepChanges(e.Changes)
		rec.Event = e
	case event.CommandRan:
		var shell *event.ShellRun
		if shell, err = in.keepShell(&e.Shell); err == nil {
			e.Shell = *shell
		}
		rec.Event = e
	}
	return err
}

func (in *intake) keepBlocks(blocks []model.Block) ([]model.Block, error) {
	kept := append([]model.Block(nil), blocks...)
	for i, b := range kept {
		if b.Kind != model.KindImage || b.Image == nil {
			continue
		}
		images, err := in.keepImages([]model.Image{*b.Image})
		if err != nil {
			return nil, err
		}
		kept[i].Image = &images[0]
	}
	return kept, nil
}

func (in *intake) keepImages(images []model.Image) ([]model.Image, error) {
	kept := append([]model.Image(nil), images...)
	for i := range kept {
		address, err := in.keepBlob(kept[i].Blob)
		if err != nil {
			return nil, err
		}
		kept[i].Blob = address
	}
	return in.s.log.StoreImages(kept), nil
}

func (in *intake) keepShell(run *event.ShellRun) (*event.ShellRun, error) {
	if run == nil {
		return nil, nil
	}
	address, err := in.keepBlob(run.FullBlob)
	kept := *run
	kept.FullBlob = address
	return &kept, err
}

func (in *intake) keepChanges(changes []event.FileChange) ([]event.FileChange, error) {
	kept := append([]event.FileChange(nil), changes...)
	for i := range kept {
		address, err := in.keepBlob(kept[i].Before)
		if err != nil {
			return nil, err
		}
		kept[i].Before = address
	}
	return kept, nil
}

func (in *intake) keepBlob(address string) (string, error) {
	if address == "" {
		return "", nil
	}
	if kept, ok := in.kept[address]; ok {
		return kept, nil
	}
	data, err := in.blob(address)
	if err != nil {
		return "", fmt.Errorf("blob %s: %w", address, err)
	}
	kept, err := in.s.log.PutBlob(data)
	in.kept[address] = kept
	return kept, err
}

// created returns the first record of a session that is made now.
func (s *Session) created(n NewSession, workspace string) event.Record {
	when := n.Created
	if when.IsZero() {
		when = s.host.cfg.Now()
	}
	return event.Record{Seq: 1, Time: when.UTC(), Event: event.SessionCreated{
		Version: event.Version, ID: s.id, Workspace: workspace, Settings: n.Settings, Parent: n.Parent, Profile: s.opts.Profile,
	}}
}

package file

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/chain"
	"parley.dev/parley/internal/regular"
)

// rebuild builds the index from the journals alone. The present lines of recent.jsonl are not
// needed: writers append to the journals first.
func (t *indexTx) rebuild() error {
	t.table, t.rewrite, t.lines = newTable(), true, nil
	recent := filepath.Join(t.root, recentName)
	retired, err := exists(filepath.Join(t.root, retiredName))
	if err != nil {
		return err
	}
	p := ingestProgress{retiredIngested: retired}
	if p.offset, err = sizeOf(recent); err != nil {
		return err
	}
	if p.tail, err = tailOf(recent, p.offset); err != nil {
		return err
	}
	if err := t.putAll(); err != nil {
		return err
	}
	t.setProgress(p)
	return nil
}

// putAll adds all sessions. It reads a few journals at a time, each in a goroutine, and
// waits for all.
func (t *indexTx) putAll() error {
	folder, err := os.Open(filepath.Join(t.root, sessionsName))
	if err != nil {
		return err
	}
	names, err := folder.Readdirnames(-1)
	if err := errors.Join(err, folder.Close()); err != nil {
		return err
	}
	report := t.rebuilding
	if report == nil {
		report = func(int, int) {}
	}
	defer report(len(names), len(names))
	readers, ctx := errgroup.WithContext(t.ctx)
	readers.SetLimit(runtime.GOMAXPROCS(0))
	var putting sync.Mutex // also held during report
	for i, name := range names {
		if ctx.Err() != nil {
			break
		}
		readers.Go(func() error {
			sum, ok := summaryOf(ctx, filepath.Join(folder.Name(), name))
			putting.Lock()
			defer putting.Unlock()
			if ok {
				t.put(sum)
			}
			report(i, len(names))
			return ctx.Err()
		})
	}
	return readers.Wait()
}

// summaryOf summarizes the journal in a folder up to the first damage; ok is false if there is no
// good record.
func summaryOf(ctx context.Context, folder string) (sum journal.Summary, ok bool) {
	path := filepath.Join(folder, journalName)
	f, err := regular.Open(path)
	if err != nil {
		return sum, false
	}
	defer f.Close()
	scan := newScanner(f, path, chain.Position{})
	_ = summarize(ctx, scan, &sum, func(chain.Position) {}, nil)
	sum.ID = event.SessionID(filepath.Base(folder))
	return sum, scan.at.Seq > 0 && ctx.Err() == nil && journal.ValidID(sum.ID)
}

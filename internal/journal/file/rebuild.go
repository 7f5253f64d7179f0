package file

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
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
	size, err := sizeOf(filepath.Join(t.root, recentName))
	if err != nil {
		return err
	}
	if _, err := t.tx.ExecContext(t.ctx, schema); err != nil {
		return err
	}
	if err := t.putAll(); err != nil {
		return err
	}
	if _, err := t.tx.ExecContext(t.ctx, countsSchema); err != nil {
		return err
	}
	if err := t.setProgress(ingestProgress{offset: size, retiredIngested: true}); err != nil {
		return err
	}
	_, err = t.tx.ExecContext(t.ctx, "PRAGMA user_version = "+strconv.Itoa(indexVersion))
	return err
}

// putAll adds all sessions. It reads a few journals at a time, each in a goroutine, and
// waits for all.
func (t *indexTx) putAll() error {
	folder, err := os.Open(filepath.Join(t.root, sessionsName))
	if err != nil {
		return err
	}
	defer folder.Close()
	readers, ctx := errgroup.WithContext(t.ctx)
	readers.SetLimit(runtime.GOMAXPROCS(0))
	var keeping sync.Mutex
	for err == nil && ctx.Err() == nil {
		var names []string
		names, err = folder.Readdirnames(1000)
		for _, name := range names {
			readers.Go(func() error {
				sum, ok := summaryOf(ctx, filepath.Join(folder.Name(), name))
				if !ok {
					return ctx.Err()
				}
				keeping.Lock()
				defer keeping.Unlock()
				return t.put(sum)
			})
		}
	}
	if err == io.EOF {
		err = nil
	}
	return errors.Join(readers.Wait(), err)
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

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
)

// fill makes the index from the journals alone. What recent.jsonl says by then is older
// than the journals, since writers append to them first.
func (sh *shelf) fill() error {
	size, err := sizeOf(filepath.Join(sh.root, recentName))
	if err != nil {
		return err
	}
	if _, err := sh.tx.ExecContext(sh.ctx, schema); err != nil {
		return err
	}
	if err := sh.keepAll(); err != nil {
		return err
	}
	if _, err := sh.tx.ExecContext(sh.ctx, counting); err != nil {
		return err
	}
	if err := sh.setProgress(progress{offset: size, spent: true}); err != nil {
		return err
	}
	_, err = sh.tx.ExecContext(sh.ctx, "PRAGMA user_version = "+strconv.Itoa(indexVersion))
	return err
}

// keepAll enters all sessions. It reads a few journals at a time, each in a goroutine, and
// waits for all.
func (sh *shelf) keepAll() error {
	folder, err := os.Open(filepath.Join(sh.root, sessionsName))
	if err != nil {
		return err
	}
	defer folder.Close()
	readers, ctx := errgroup.WithContext(sh.ctx)
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
				return sh.keep(sum)
			})
		}
	}
	if err == io.EOF {
		err = nil
	}
	return errors.Join(readers.Wait(), err)
}

// summaryOf reads the journal in a folder as far as it is good; false if there is none.
func summaryOf(ctx context.Context, folder string) (sum journal.Summary, ok bool) {
	path := filepath.Join(folder, journalName)
	f, err := os.Open(path)
	if err != nil {
		return sum, false
	}
	defer f.Close()
	scan := newScanner(f, path, position{})
	_ = summarize(ctx, scan, &sum, func(position) {}, nil)
	sum.ID = event.SessionID(filepath.Base(folder))
	return sum, scan.at.seq > 0 && ctx.Err() == nil && valid(sum.ID)
}

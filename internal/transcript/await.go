package transcript

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// awaitFile returns when the workspace has a file of that name, which a tool of the program creates
// to show its progress.
func (p *play) awaitFile(ctx context.Context, name string) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer watcher.Close()
	path := filepath.Join(p.folders.work, name)
	if err := watcher.Add(filepath.Dir(path)); err != nil {
		return err
	}
	for {
		if _, err := os.Lstat(path); err == nil {
			p.note("wait " + name)
			return nil
		}
		select {
		case <-watcher.Events:
		case err := <-watcher.Errors:
			return err
		case <-ctx.Done():
			return fmt.Errorf("waiting for the file %s: %w", name, context.Cause(ctx))
		}
	}
}

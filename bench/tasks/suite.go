package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/gofrs/flock"

	"parley.dev/parley/bench/tasks/recording"
	"parley.dev/parley/bench/tasks/scripted"
	"parley.dev/parley/bench/tasks/task"
)

// A run is one task done by one model.
type run struct {
	task        *task.Task
	temperament *scripted.Temperament
	recording   *recording.Recording // played in place of the temperament; nil: none
	title       string               // the name of the task or the recording
	label       string               // of the model
}

func (r run) name() string { return r.title + "/" + r.label }

// selectRuns returns each task with each temperament, then the recordings.
func selectRuns(o options) ([]run, error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return nil, err
	}
	tasks, err := task.Load(filepath.Join(o.dir, "testdata", "tasks"))
	if err != nil {
		return nil, err
	}
	var runs []run
	for _, t := range tasks {
		for _, temperament := range scripted.Temperaments() {
			runs = append(runs, run{task: t, temperament: temperament, title: t.Name, label: temperament.Name})
		}
	}
	recorded, err := recordedRuns(filepath.Join(o.dir, "testdata", "recordings"), tasks)
	if err != nil {
		return nil, err
	}
	var selected []run
	for _, r := range append(runs, recorded...) {
		if only.MatchString(r.name()) {
			selected = append(selected, r)
		}
	}
	switch {
	case len(selected) == 0:
		return nil, fmt.Errorf("no run matches %q", o.only)
	case o.record != "" && len(selected) != 1:
		return nil, errors.New("-record needs a -run that selects one run")
	}
	return selected, nil
}

func recordedRuns(dir string, tasks []*task.Task) (runs []run, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		r, err := recording.Read(path)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(tasks, func(t *task.Task) bool { return t.Name == r.Task })
		if i < 0 {
			return nil, fmt.Errorf("%s: there is no task %s", path, r.Task)
		}
		runs = append(runs, run{task: tasks[i], temperament: scripted.Temperaments()[0], recording: r, title: r.Name, label: "recorded"})
	}
	return runs, nil
}

// playAll plays the runs, some at a time, in folders that are removed afterwards.
func playAll(ctx context.Context, o options, runs []run, out io.Writer) ([]result, error) {
	root, err := makeRoot()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	unlock, err := lockRecordings()
	if err != nil {
		return nil, err
	}
	defer unlock()
	results := make([]result, len(runs))
	logs := make([]bytes.Buffer, len(runs))
	errs := make([]error, len(runs))
	slots := make(chan struct{}, max(1, o.parallel))
	var wg sync.WaitGroup
	for i, r := range runs {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			dir := filepath.Join(root, fmt.Sprintf("%03d", i))
			switch {
			case o.record != "":
				dir = recording.Folder(o.record)
			case r.recording != nil:
				dir = recording.Folder(r.recording.Name)
			}
			results[i], errs[i] = play(ctx, o, r, dir, &logs[i])
		})
	}
	wg.Wait()
	for i := range logs {
		if o.verbose {
			fmt.Fprintf(out, "=== %s\n%s", runs[i].name(), logs[i].Bytes())
		}
	}
	return results, errors.Join(errs...)
}

// makeRoot makes a folder whose name always has the same length: models read it, and every byte counts.
func makeRoot() (string, error) {
	for n := os.Getpid() % 1_000_000; ; n = (n + 1) % 1_000_000 {
		root := fmt.Sprintf("/tmp/parley-tasks-%06d", n)
		err := os.Mkdir(root, 0o700)
		if !errors.Is(err, os.ErrExist) {
			return root, err
		}
	}
}

// lockRecordings waits until no other bench plays recordings on this machine: their folders have fixed names.
func lockRecordings() (unlock func(), err error) {
	f := flock.New(filepath.Join(os.TempDir(), "parley-recording.lock"), flock.SetPermissions(0o600))
	if err := f.Lock(); err != nil {
		return nil, fmt.Errorf("lock %s: %w", f.Path(), err)
	}
	return func() { _ = f.Unlock() }, nil
}

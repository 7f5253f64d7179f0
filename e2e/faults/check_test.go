//go:build linux

package faults

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/event"
)

// checkWire looks at all that a process has said: lines are lines, turns begin and end once,
// calls too, each within its turn. whole: the process could say everything.
func (r *run) checkWire(whole bool) {
	r.Helper()
	if r.tap.wrong != nil {
		r.Error(r.tap.wrong)
	}
	turns, running, calls := 0, false, map[string]bool{}
	for _, s := range r.tap.heard() {
		switch s.kind {
		case began:
			if running {
				r.Error("a turn begins in a turn")
			}
			running = true
			turns++
		case called:
			if calls[s.id] {
				r.Errorf("call %s begins twice", s.id)
			}
			calls[s.id] = true
		case returned:
			if !calls[s.id] {
				r.Errorf("call %s ends, but runs not", s.id)
			}
			delete(calls, s.id)
		case ended:
			if !running {
				r.Error("a turn ends that runs not")
			}
			if len(calls) > 0 {
				r.Errorf("the turn ends before its calls %v", calls)
			}
			running = false
		}
	}
	if whole && running {
		r.Error("the last turn does not end")
	}
	// A prompt may be refused after its acceptance: the last that can be said of it counts.
	if n := count(r.tap.heard(), accepted) - count(r.tap.heard(), refused); whole && turns < n {
		r.Errorf("%d turns, but %d prompts were accepted", turns, n)
	}
}

// checkAsked looks at what the model was asked after the fault: everything that was
// acknowledged, each call with its result.
func (r *run) checkAsked() {
	r.Helper()
	if r.agent != nil {
		r.checkAgentAsked()
		return
	}
	requests := r.then.server.Requests()
	if len(requests) != 1 {
		r.Fatalf("%d requests after the fault", len(requests))
	}
	conversation := stage.Conversation(requests[0])
	stage.CheckPaired(r, conversation)
	if r.phase != &compacts && r.phase != &full { // there a summary stands for it
		stage.CheckSaid(r, conversation, firstPrompt, firstAnswer, thenPrompt)
	}
}

// checkRest checks what is left after the end: no process, no temporary files, no lock, and
// complete journals.
func (r *run) checkRest() {
	r.Helper()
	r.mark.WantEnded(r, nil)
	r.checkTemp()
	folders, err := filepath.Glob(filepath.Join(r.place.State(), "sessions", "*"))
	if err != nil {
		r.Fatal(err)
	}
	if r.phase.session && len(folders) == 0 {
		r.Error("there is no session")
	}
	var all strings.Builder
	for _, folder := range folders {
		lock := flock.New(filepath.Join(folder, "lock"))
		if free, err := lock.TryLock(); err != nil || !free {
			r.Errorf("%s is still locked: %v", folder, err)
		}
		lock.Close()
		all.Write(r.export(filepath.Base(folder)))
	}
	text := all.String()
	if r.phase.session && (!strings.Contains(text, firstPrompt) || !strings.Contains(text, firstAnswer)) {
		r.Error("the first turn is not in the journal")
	}
	if r.accepted && !strings.Contains(text, workPrompt) {
		r.Error("the prompt was accepted, and is not in the journal")
	}
}

// checkTemp wants no file of the moment, in TMPDIR or in the state folder. The reaper of a process that was killed removes folders
// when that is gone already.
func (r *run) checkTemp() {
	r.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(stage.Patience)
	for left := r.temporary(); len(left) > 0; left = r.temporary() {
		select {
		case <-tick.C:
		case <-limit:
			r.Errorf("%q are left", left)
			return
		}
	}
}

// temporary returns the files of the moment that there are.
func (r *run) temporary() (paths []string) {
	for _, dir := range []string{r.place.Temp, r.place.State()} {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || path == dir {
				return nil
			}
			name := d.Name()
			if dir == r.place.Temp || filepath.Dir(path) == filepath.Join(dir, "tmp") || strings.HasPrefix(name, ".") || strings.Contains(name, ".tmp") || d.Type()&fs.ModeSocket != 0 {
				paths = append(paths, path)
			}
			return nil
		})
	}
	return paths
}

// export returns the records of a session as the program reads them, which are held to the rules.
func (r *run) export(id string) []byte {
	r.Helper()
	cmd := r.place.Command(r, "sessions", "export", id)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.Errorf("export %s: %v: %s", id, err, stderr.String())
		return nil
	}
	ledger := ledger{run: r, open: map[string]bool{}}
	for line := range bytes.Lines(out) {
		var record event.Record
		if err := record.UnmarshalJSON(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
			r.Fatalf("%v: %.300s", err, line)
		}
		ledger.add(record)
	}
	if len(ledger.open) > 0 {
		r.Errorf("the journal leaves open: %v", ledger.open)
	}
	return out
}

// A ledger holds records to the rules: what begins ends, once, within its turn.
type ledger struct {
	*run
	seq  uint64
	open map[string]bool // what has begun
	turn event.TurnID    // that runs
	past []event.TurnID
}

func (l *ledger) add(record event.Record) {
	l.Helper()
	if l.seq++; record.Seq != l.seq {
		l.Errorf("record %d has the number %d", l.seq, record.Seq)
	}
	switch e := record.Event.(type) {
	case event.TurnStarted:
		if slices.Contains(l.past, record.Turn) {
			l.Errorf("turn %s starts twice", record.Turn)
		}
		l.past = append(l.past, record.Turn)
		l.begin("turn " + string(record.Turn))
		l.turn = record.Turn
	case event.TurnEnded:
		l.end("turn " + string(record.Turn))
		if len(l.open) > 0 {
			l.Errorf("turn %s ends before %v", record.Turn, l.open)
		}
		l.turn = ""
	case event.StepStarted:
		l.begin("step")
	case event.StepEnded:
		l.end("step")
	case event.ToolIntended:
		l.begin("call " + string(e.Call))
	case event.ToolEnded:
		l.end("call " + string(e.Call))
	case event.ApprovalAsked:
		l.begin("approval " + string(e.ID))
	case event.ApprovalAnswered:
		l.end("approval " + string(e.ID))
	}
	if record.Turn != "" && l.turn != "" && record.Turn != l.turn {
		l.Errorf("record %d is of turn %s, in %s", record.Seq, record.Turn, l.turn)
	}
}

func (l *ledger) begin(what string) {
	if l.open[what] {
		l.Errorf("%s begins twice", what)
	}
	l.open[what] = true
}

func (l *ledger) end(what string) {
	if !l.open[what] {
		l.Errorf("%s ends, but has not begun", what)
	}
	delete(l.open, what)
}

// exists reports whether a file of the workspace is there.
func (r *run) exists(name string) bool {
	_, err := os.Stat(filepath.Join(r.place.Work, name))
	return err == nil
}

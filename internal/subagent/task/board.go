package task

import (
	"slices"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/text"
)

// A board shows how far the tasks of a call are.
type board struct {
	run *run

	mu    sync.Mutex
	tasks []event.TaskProgress
	began []time.Time
	calls []map[event.CallID]event.ToolIntended // that run
	last  time.Time                             // when it was shown
	later *time.Timer                           // shows what came too soon; nil: nothing did
	over  bool
}

// Caps of what is shown of a task.
const (
	recentCalls = 5
	recentLines = 8
	inputChars  = 200
)

// leastGap is how often the board is shown at most, unless a status changes.
const leastGap = 100 * time.Millisecond

func newBoard(r *run) *board {
	b := &board{run: r}
	for _, j := range r.jobs {
		b.tasks = append(b.tasks, event.TaskProgress{Task: j.result.Task, Status: event.TaskPending})
		b.began = append(b.began, time.Time{})
		b.calls = append(b.calls, map[event.CallID]event.ToolIntended{})
	}
	return b
}

// show reports the states of the tasks, at once or when it is time.
func (b *board) show(now bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.showLocked(now)
}

func (b *board) showLocked(now bool) {
	if b.over {
		return
	}
	if wait := leastGap - time.Since(b.last); !now && wait > 0 {
		if b.later == nil {
			b.later = time.AfterFunc(wait, func() { b.show(true) })
		}
		return
	}
	if b.later != nil {
		b.later.Stop()
		b.later = nil
	}
	b.last = time.Now()
	tasks := slices.Clone(b.tasks)
	for i, t := range tasks {
		tasks[i].Recent, tasks[i].Output = slices.Clone(t.Recent), slices.Clone(t.Output)
		if t.Status == event.TaskRunning {
			tasks[i].Ran = event.Duration(time.Since(b.began[i]))
		}
	}
	b.run.hooks.Subagents.Show(event.TasksProgressed{
		Call: b.run.hooks.Subagents.Call(), ProjectAgents: b.run.project, Ran: event.Duration(time.Since(b.run.start)), Tasks: tasks,
	})
}

// close ends the display: nothing is shown any more.
func (b *board) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	if b.later != nil {
		b.later.Stop()
	}
}

// begin marks a task as running, if record succeeds; nothing is shown between the two.
func (b *board) begin(i int, record func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := record(); err != nil {
		return err
	}
	b.tasks[i].Status, b.began[i] = event.TaskRunning, time.Now()
	b.showLocked(true)
	return nil
}

// end marks a task as ended.
func (b *board) end(i int, status event.TaskStatus, ran time.Duration, record func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	record()
	t := &b.tasks[i]
	t.Status, t.Ran, t.Current, t.Input, t.Since = status, event.Duration(ran), "", "", 0
	b.showLocked(true)
}

// see takes a record of a subagent.
func (b *board) see(i int, rec event.Record) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := &b.tasks[i]
	switch e := rec.Event.(type) {
	case event.AssistantMessage:
		t.Tokens += e.Usage.Input + e.Usage.Output
		for line := range strings.SplitSeq((model.Message{Blocks: e.Blocks}).Text(), "\n") {
			if line = strings.TrimSpace(line); line != "" {
				t.Output = append(t.Output, short(line))
			}
		}
		t.Output = t.Output[max(0, len(t.Output)-recentLines):]
	case event.ToolIntended:
		b.calls[i][e.Call] = e
		t.Calls++
		t.Current, t.Input, t.Since = e.Name, short(string(e.Input)), rec.Time.UnixMilli()
	case event.ToolEnded:
		call := b.calls[i][e.Call]
		delete(b.calls[i], e.Call)
		t.Recent = slices.Insert(t.Recent, 0, event.TaskCall{Tool: call.Name, Input: short(string(call.Input)), Ended: rec.Time.UnixMilli()})
		t.Recent = t.Recent[:min(len(t.Recent), recentCalls)]
		t.Current, t.Input, t.Since = "", "", 0
	default:
		return
	}
	b.showLocked(false)
}

// short returns s as one line of at most inputChars characters.
func short(s string) string {
	return text.ClipRunes(text.OneLine(strings.ToValidUTF8(s, "\uFFFD")), inputChars, "…")
}

package engine

import (
	"fmt"
	"strings"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// An ending is how a call ends that does not run.
type ending struct {
	outcome event.Outcome
	result  tool.Result
	effects bool // the call was recorded as started, and could have changed something
}

// finish records the end of a call that did not run.
func (t *turn) finish(id event.CallID, end ending) {
	s := t.s
	r := t.remarked(id, end.result)
	s.mu.Lock()
	defer s.mu.Unlock()
	t.record(t.ended(id, end.outcome, 0, r), end.effects)
}

// saved stores the whole output of a call of which r has a part, and returns r with a note where it is.
func (t *turn) saved(r tool.Result) tool.Result {
	if len(r.Full) == 0 {
		return r
	}
	path, err := t.s.work.outputs.Save(r.Full)
	if err != nil {
		t.s.host.cfg.Log.Warn("whole output not kept for the model", "session", t.s.id, "error", err)
		return r
	}
	return remark(r, fmt.Sprintf("[the whole output is in %s: read or search that file]", path))
}

// noOutput is what models read as the result of a call that returned nothing: some servers refuse "".
const noOutput = "(no output)"

// ended returns the end of a call. It runs under the session's lock.
func (t *turn) ended(id event.CallID, outcome event.Outcome, ran time.Duration, r tool.Result) event.ToolEnded {
	s := t.s
	e := event.ToolEnded{
		Call: id, Outcome: outcome, Output: strings.ToValidUTF8(r.Text, "\uFFFD"), Ran: event.Duration(ran),
		Images: s.log.StoreImages(r.Images), Changes: r.Changes, Shell: r.Shell, Fetch: r.Fetch, Search: r.Search,
		Tasks: r.Tasks, Folder: r.Folder, Matches: r.Matches,
	}
	t.final = t.final || r.Final
	if r.Reply != nil {
		e.Reply = &event.Reply{Content: r.Reply}
	}
	if e.Shell != nil {
		shell := *e.Shell
		shell.FullBlob = s.log.StoreOutput(r.Full)
		e.Shell = &shell
	}
	if e.Output == "" && len(e.Images) == 0 {
		e.Output = noOutput
		if e.Shell != nil {
			e.Shell.Note = noOutput // the command did not write it
		}
	}
	return e
}

// record records the end of a call. It runs under the session's lock. The next request is prepared while the
// end of a call with effects is written to the disk.
func (t *turn) record(e event.ToolEnded, effects bool) {
	if effects && t.s.log.CommitAhead(t.id, e) == nil {
		return
	}
	t.s.log.Append(t.id, e) // if the journal fails it waits in memory
}

// outcome returns how a call ends that this answer did not allow.
func (a answer) outcome() event.Outcome {
	switch a.by {
	case event.ByInterrupt:
		return event.Interrupted
	case event.ByFault:
		return event.Failed
	}
	return event.Denied
}

func (t *turn) isFinal() bool {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return t.final
}

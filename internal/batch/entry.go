package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
)

// A Definition is what a batch was submitted with, besides its tasks.
type Definition struct {
	Version int    `json:"version"` // 1
	Batch   string `json:"batch"`
	Queue   string `json:"queue"`
	Tasks   int    `json:"tasks"`
	Digest  string `json:"digest"` // of the tasks
	Budget  Budget `json:"budget,omitzero"`
}

// version is the version of definitions.
const version = 1

func parseDefinition(e Entry) (Definition, error) {
	var d Definition
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return d, fmt.Errorf("the definition of batch %s: %w", e.Log.Batch, err)
	}
	if d.Version > version {
		return d, fmt.Errorf("batch %s has format %d, and this program knows formats up to %d: use a newer parley", e.Log.Batch, d.Version, version)
	}
	return d, nil
}

// An EventKind is the kind of an entry of a task log.
type EventKind string

// The kinds. A log is: task (attempt commit? requeue)* result (retry … result)*. In logs of older programs an attempt can follow another
// one whose worker ended.
const (
	TaskDefined  EventKind = "task"
	AttemptBegun EventKind = "attempt"
	CommitPinned EventKind = "commit"  // the first attempt found the commit of the ref, for all attempts
	TaskRequeued EventKind = "requeue" // the attempt ended, and another may begin
	TaskFinished EventKind = "result"
	TaskRetried  EventKind = "retry" // the user wants a finished task to be run again
)

// An Event is an entry of a task log.
type Event struct {
	Kind EventKind `json:"kind"`

	Queue string `json:"queue,omitzero"` // of TaskDefined
	Task  *Task  `json:"task,omitzero"`

	Attempt  int    `json:"attempt,omitzero"` // of AttemptBegun: 1, 2, 3 …, not begun again by a retry
	Worker   string `json:"worker,omitzero"`
	Session  string `json:"session,omitzero"`
	Commit   string `json:"commit,omitzero"`
	Reserved Budget `json:"reserved,omitzero"` // of the budget of the batch

	Cause     Cause     `json:"cause,omitzero"` // of TaskRequeued; "": its worker was asked to end
	Message   string    `json:"message,omitzero"`
	NotBefore time.Time `json:"not_before,omitzero"`
	Free      bool      `json:"free,omitzero"` // the attempt does not count
	Usage     Usage     `json:"usage,omitzero"`
	CostUSD   float64   `json:"cost_usd,omitzero"`

	Result    *Result `json:"result,omitzero"`     // of TaskFinished
	PatchText []byte  `json:"patch_text,omitzero"` // at most maxInline bytes; else it is the blob Result.Patch.SHA256

	// Used is what the attempt has used of the budget of the batch; nil: that is not known, or there was no attempt.
	Used *Spending `json:"used,omitzero"`

	// Blob is the address of the complete event, where it is too large for an entry; this one lacks Task, and of Result the long parts.
	Blob string `json:"blob,omitzero"`
}

// encodeEvent returns the entry of an event of a batch, and stores what it is too large for.
func encodeEvent(ctx context.Context, blobs Blobs, batch string, ev Event) ([]byte, error) {
	data, err := json.Marshal(ev, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode a %s of batch %s: %w", ev.Kind, batch, err)
	}
	if len(data) <= MaxEntry {
		return data, nil
	}
	if ev.Blob, err = blobs.PutBlob(ctx, batch, data); err != nil {
		return nil, err
	}
	ev.Task, ev.PatchText = nil, nil
	if ev.Result != nil {
		short := *ev.Result
		short.Answer, short.Verify = "", nil
		if short.Patch != nil {
			patch := *short.Patch
			patch.Files, short.Patch = nil, &patch
		}
		ev.Result = &short
	}
	return json.Marshal(ev, json.Deterministic(true))
}

// check reports an event that lacks what its kind has, as one of a damaged or foreign entry.
func (ev Event) check() error {
	switch {
	case ev.Kind == TaskDefined && ev.Task == nil && ev.Blob == "":
		return errors.New("it defines no task")
	case ev.Kind == TaskFinished && (ev.Result == nil || !ev.Result.Status.Final()):
		return errors.New("it has no result")
	}
	return nil
}

// decodeEvent returns the event of an entry, without its blob.
func decodeEvent(e Entry) (Event, error) {
	var ev Event
	if err := json.Unmarshal(e.Data, &ev); err != nil {
		return ev, fmt.Errorf("entry %d of task %s of batch %s: %w", e.Number, e.Log.Task, e.Log.Batch, err)
	}
	return ev, nil
}

// complete returns the event with what is in its blob.
func complete(ctx context.Context, blobs Blobs, batch string, ev Event) (Event, error) {
	if ev.Blob == "" {
		return ev, nil
	}
	data, err := blobs.Blob(ctx, batch, ev.Blob)
	if err != nil {
		return ev, fmt.Errorf("a %s of batch %s: %w", ev.Kind, batch, err)
	}
	var whole Event
	if err := json.Unmarshal(data, &whole); err != nil {
		return ev, fmt.Errorf("a %s of batch %s: %w", ev.Kind, batch, err)
	}
	err = whole.check()
	if whole.Kind != ev.Kind || whole.Blob != "" {
		err = fmt.Errorf("its blob is a %q", whole.Kind)
	}
	if err != nil {
		return ev, fmt.Errorf("a %s of batch %s: %w", ev.Kind, batch, err)
	}
	return whole, nil
}

// A cancellation is an entry of a CancelLog. It is about the tasks whose current round began before it.
type cancellation struct {
	Tasks []string `json:"tasks,omitempty"` // nil: all
}

func (c cancellation) covers(task string) bool {
	if len(c.Tasks) == 0 {
		return true
	}
	for _, t := range c.Tasks {
		if t == task {
			return true
		}
	}
	return false
}

package batch

import (
	"fmt"
	"time"
)

// A TaskState is the fold of a task log.
type TaskState struct {
	ID        string
	Number    uint64 // of the last entry; 0: there is none
	Round     uint64 // of the entry that began the current round: the task, or the last retry
	Status    Status
	Attempt   int // the last one that was begun, in any round; 0: none
	Used      int // attempts of this round that count
	Worker    string
	Session   string
	Commit    string // that all attempts work on; "": not known yet
	Reserved  Budget // by the running attempt
	NotBefore time.Time
	Started   time.Time // of the last attempt
	Ended     time.Time // of the result
	Usage     Usage     // of all attempts, as far as it is known
	CostUSD   float64
	Cause     Cause  // of the last requeue of this round
	Message   string // likewise
	Result    *Result
	Defined   Event // without its blob
	Finished  Event // likewise; of the zero kind until there is a result
}

// Apply applies the next entry. An entry that cannot follow is an error and changes nothing.
func (t *TaskState) Apply(e Entry) error {
	ev, err := decodeEvent(e)
	if err != nil {
		return err
	}
	err = ev.check()
	if err == nil {
		err = t.check(ev.Kind)
	}
	if err != nil {
		return fmt.Errorf("entry %d of task %s of batch %s: %w", e.Number, e.Log.Task, e.Log.Batch, err)
	}
	t.ID, t.Number = e.Log.Task, e.Number
	switch ev.Kind {
	case TaskDefined:
		t.Round, t.Status, t.Defined = e.Number, Queued, ev
	case AttemptBegun:
		t.Status, t.Attempt, t.Worker, t.Session = Running, ev.Attempt, ev.Worker, ev.Session
		t.Used, t.Reserved, t.Started, t.NotBefore = t.Used+1, ev.Reserved, e.Time, time.Time{}
	case CommitPinned:
		t.Commit = ev.Commit
	case TaskRequeued:
		t.Status, t.NotBefore, t.Cause, t.Message = Queued, ev.NotBefore, ev.Cause, ev.Message
		if ev.Free {
			t.Used--
		}
		t.use(ev.Usage, ev.CostUSD)
	case TaskFinished:
		t.Status, t.Result, t.Ended, t.Finished = ev.Result.Status, ev.Result, e.Time, ev
		t.use(ev.Result.Usage, ev.Result.CostUSD)
	case TaskRetried:
		t.Round, t.Status, t.Used, t.Result, t.Finished = e.Number, Queued, 0, nil, Event{}
		t.NotBefore, t.Started, t.Ended, t.Cause, t.Message = time.Time{}, time.Time{}, time.Time{}, "", ""
		t.Worker, t.Session, t.Reserved = "", "", Budget{}
	}
	return nil
}

// check reports an event that cannot follow, or that is of a kind that this program does not know.
func (t *TaskState) check(kind EventKind) error {
	ok := false
	switch kind {
	case TaskDefined:
		ok = t.Number == 0
	case AttemptBegun:
		ok = t.Status == Queued || t.Status == Running
	case CommitPinned, TaskRequeued:
		ok = t.Status == Running
	case TaskFinished:
		ok = t.Number != 0 && !t.Status.Final()
	case TaskRetried:
		ok = t.Number != 0 && t.Status.Final()
	}
	if t.Number == 0 && kind != TaskDefined || !ok {
		return fmt.Errorf("a %q cannot follow here", kind)
	}
	return nil
}

func (t *TaskState) use(u Usage, cost float64) {
	t.Usage, t.CostUSD = t.Usage.Plus(u), t.CostUSD+cost
}

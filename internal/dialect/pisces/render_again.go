package pisces

import (
	"fmt"
	"time"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file contains what lies between two runs of one turn of the engine: waits before the model
// is asked again, compactions that were not requested, rules that were broken, and reminders.

// fail ends the run whose call of the model failed. The engine asks again, so that no durable
// record contains what was shown.
func (v *view) fail(f event.Failure) {
	m := v.fold.EmptyAnswer(v.step).Because(&f)
	if v.answer != nil {
		m.Content = v.answer.shown()
	}
	v.endAnswer(m)
	v.closeTurn()
	v.closeRun()
}

// retryStarted ends the run, and says when the next one comes.
func (v *view) retryStarted(e event.RetryStarted) {
	v.fail(e.Failure)
	v.retry = &e
	v.emit(AutoRetryStart{
		Attempt: e.Attempt, MaxAttempts: e.Max, DelayMS: time.Duration(e.Delay).Milliseconds(), ErrorMessage: e.Failure.Message,
	})
}

// retryEnded reports the answer that came at last. How a failed attempt went is sent after
// its run, if no other follows.
func (v *view) retryEnded(e event.RetryEnded) {
	if v.retry != nil && e.Succeeded {
		v.emit(AutoRetryEnd{Success: true, Attempt: v.retry.Attempt})
		v.retry = nil
	}
}

// retryOver follows the run that failed for good, or the wait that was cut short. open says
// whether there was a run.
func (v *view) retryOver(open bool, e event.TurnEnded) {
	if v.retry == nil {
		return
	}
	end := AutoRetryEnd{Attempt: v.retry.Attempt, FinalError: "Retry cancelled"}
	if open && e.Failure != nil {
		end.FinalError = e.Failure.Message
	}
	v.emit(end)
	v.retry = nil
}

// compactionStarted ends the run that has no room, or none for another.
func (v *view) compactionStarted(e event.CompactionStarted) {
	switch e.Reason {
	case event.CompactThreshold:
		v.closeRun()
	case event.CompactOverflow:
		v.fail(*e.Failure)
	default:
		return // the client requested it, and gets an answer
	}
	v.room = e.Reason
	v.emit(AutoCompactionStart{Reason: reasons[e.Reason], Action: ActionContextFull})
}

// reasons is why a compaction begins of itself.
var reasons = map[event.CompactReason]CompactionReason{
	event.CompactThreshold: CompactionThreshold,
	event.CompactOverflow:  CompactionOverflow,
}

func (v *view) compacted() {
	if v.room == "" {
		return
	}
	result := v.summary
	v.emit(AutoCompactionEnd{Action: ActionContextFull, Result: &result, WillRetry: v.room == event.CompactOverflow})
	v.room = ""
}

// compaction returns what a compaction has brought. Where nothing was kept it names itself.
func (v *view) compaction(seq uint64, e event.Compacted) message.CompactionResult {
	kept := v.context.entry(e.KeptFrom)
	if kept == "" {
		kept = v.fold.IDs.First(seq)
	}
	return message.CompactionResult{
		Summary: e.Summary, FirstKeptEntryID: kept, TokensBefore: e.TokensBefore,
		Details: message.CompactionDetails{ReadFiles: []string{}, ModifiedFiles: []string{}},
	}
}

// compactionFailed reports that there is no more room than before.
func (v *view) compactionFailed(e event.Notice) {
	switch {
	case v.room == "":
		return
	case e.Code == engine.NoticeCompactionInterrupted:
		v.emit(AutoCompactionEnd{Action: ActionContextFull, Aborted: true})
		v.room = ""
		return
	case e.Code != engine.NoticeCompactionFailed:
		return
	}
	what := "Auto-compaction failed"
	if v.room == event.CompactOverflow {
		what = "Context overflow recovery failed"
	}
	v.emit(AutoCompactionEnd{Action: ActionContextFull, ErrorMessage: fmt.Sprintf("%s: %s", what, e.Text)})
	v.room = ""
}

// objected shows what rules were broken, and the end of the answer that was cut for them; its
// run ends with the step. The messages to the model about the others are shown.
func (v *view) objected(rec event.Record, e event.RuleViolated, all []message.Finished) {
	if !e.Cut {
		v.beginTurn(rec.Time)
		v.pairs(all)
		return
	}
	v.emit(TTSRTriggered{v.rules(e.Rules)})
	v.finish(all)
	v.broken = true
}

// reminded begins a run with what the model left open.
func (v *view) reminded(e event.Reminded) {
	v.closeRun()
	v.emit(TodoReminder{Todos: message.TodosOf(e.Tasks), Attempt: e.Attempt, MaxAttempts: e.Max})
}

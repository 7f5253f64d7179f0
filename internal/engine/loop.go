package engine

import (
	"errors"
	"fmt"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file contains what a turn does about models that get nowhere: the same call fails again and again, or
// an answer has nothing in it.

// loopSteps is how many steps back failed calls are counted.
const loopSteps = 10

// errLoop: the same call went on to fail after the note to the model.
var errLoop = errors.New("the model repeats a call that fails")

// A failedCalls counts calls that failed in the last steps, by what they were and how they failed.
type failedCalls struct {
	steps [][]string
	noted bool // the model has the note
}

// add takes the failures of a step, and returns how often the most frequent of them has occurred.
func (f *failedCalls) add(failures []string) (most int) {
	f.steps = append(f.steps, failures)
	f.steps = f.steps[max(0, len(f.steps)-loopSteps):]
	counts := map[string]int{}
	for _, step := range f.steps {
		for _, failure := range step {
			counts[failure]++
		}
	}
	for _, failure := range failures {
		most = max(most, counts[failure])
	}
	return most
}

// repeatedFailures is how often the same call may fail with the same result in ten steps.
const repeatedFailures = 5

// checkLoop counts the calls of a step that failed. Where one has failed as often as repeatedFailures
// the model gets a note, once; the second time the error is errLoop.
func (t *turn) checkLoop(calls []model.Call) error {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	var failures []string
	for _, c := range calls {
		if r, ok := s.fold.Results[event.CallID(c.ID)]; ok && r.IsError {
			failures = append(failures, c.Name+"\x00"+string(c.Input)+"\x00"+r.Text)
		}
	}
	n := t.failed.add(failures)
	if n < repeatedFailures {
		return nil
	}
	if t.failed.noted {
		return errLoop
	}
	t.failed = failedCalls{noted: true}
	s.log.Append(t.id, event.ContextNote{
		Topic: event.NoteLoop,
		Text:  fmt.Sprintf("[The same call has failed %d times with the same result. Do not repeat it: find out why it fails, go another way, or say what you need.]", n),
	})
	return nil
}

// empty reports whether an answer has neither a text nor a call. An answer that was refused is not empty.
func (a stepAnswer) empty() bool {
	return a.stop != model.StopRefused && len(a.Calls()) == 0 && strings.TrimSpace(a.Text()) == ""
}

// retryEmpty reports whether an answer is requested once more since it is empty. A second empty answer is a
// Notice, or, where the turn has called no tool, its failure.
func (t *turn) retryEmpty(answer stepAnswer) (again bool, failure *event.Failure) {
	if !answer.empty() || !t.s.retriesEmpty() {
		t.emptied = false
		return false, nil
	}
	if !t.emptied {
		t.emptied = true
		return true, nil
	}
	if t.rounds == 0 && answer.stop != model.StopTokens {
		return false, &event.Failure{Kind: string(model.BrokenStream), Message: emptyAnswer}
	}
	t.append(event.Notice{Level: event.Warning, Code: NoticeEmptyAnswer, Text: emptyAnswer})
	return false, nil
}

const emptyAnswer = "the model answered with nothing, twice"

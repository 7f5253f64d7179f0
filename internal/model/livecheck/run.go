package livecheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"parley.dev/parley/internal/model"
)

// Status is how a check ended.
type Status string

// The statuses.
const (
	OK      Status = "ok"
	Failed  Status = "failed"
	Limited Status = "limited" // it works, but not as it should
	Skipped Status = "skipped" // there was no reason to try it
)

// A Result is one check that ended.
type Result struct {
	Name   string
	Status Status
	Detail string       // what was found; one sentence
	Fix    string       // what to do; "": nothing, or it is not known
	Err    *model.Error // of a call that failed; nil: none did
	Calls  int
	Usage  model.Usage   // of all calls
	First  time.Duration // to the first piece of the first answer; 0: there was none
	Took   time.Duration
}

// Options are what is checked.
type Options struct {
	Provider  model.Provider
	Info      model.Info
	MaxTokens int           // of each answer
	Timeout   time.Duration // of each call
	Session   string        // a name that is new, for caches
	// Advice returns what to do about a call that failed; "": it is not known.
	Advice func(*model.Error) string
}

// The names of the checks.
const (
	Text     = "text"
	Tool     = "tool"
	Thinking = "thinking"
	Picture  = "picture"
	Cache    = "cache"
)

// Run runs the checks in their order and calls report with each result. Without text, nothing else is
// tried.
func Run(ctx context.Context, o Options, report func(Result)) {
	for i, c := range []struct {
		name  string
		check func(*checker)
	}{
		{Text, (*checker).text}, {Tool, (*checker).tool}, {Thinking, (*checker).thinking}, {Picture, (*checker).picture}, {Cache, (*checker).cache},
	} {
		k := &checker{ctx: ctx, o: &o, Result: Result{Name: c.name, Status: OK}}
		started := time.Now()
		c.check(k)
		k.Took = time.Since(started)
		report(k.Result)
		if i == 0 && k.Status == Failed {
			return
		}
	}
}

// A checker is one check that runs.
type checker struct {
	Result
	ctx context.Context
	o   *Options
}

// call requests an answer; nil: it failed, and the result says so.
func (k *checker) call(req *model.Request) *model.Response {
	k.Calls++
	req.Model, req.Session = k.o.Info.ID, k.o.Session
	req.Exact = true // what the endpoint refuses is what the report is about
	req.MaxTokens = cmp.Or(req.MaxTokens, k.o.MaxTokens)
	late := fmt.Errorf("there was no complete answer within %s", k.o.Timeout)
	ctx, cancel := context.WithTimeoutCause(k.ctx, k.o.Timeout, late)
	defer cancel()
	started := time.Now()
	for d, err := range k.o.Provider.Stream(ctx, req) {
		switch {
		case err != nil:
			k.failed(err, late)
			return nil
		case d.Kind == model.Done:
			k.Usage = k.Usage.Add(d.Response.Usage)
			return d.Response
		case k.First == 0 && d.Kind != model.UsageDelta:
			k.First = time.Since(started)
		}
	}
	k.failed(errors.New("the stream ended before the answer did"), late)
	return nil
}

// failed sets the result to what a call failed with.
func (k *checker) failed(err, late error) {
	k.Status, k.Detail = Failed, err.Error()
	k.Err, _ = errors.AsType[*model.Error](err)
	switch {
	case k.Err != nil:
		k.Detail = string(k.Err.Kind) + ": " + k.Detail
		k.Fix = k.o.Advice(k.Err)
	case errors.Is(err, late):
		k.Fix = "try a longer --timeout; a local server may still load the model, or be too slow"
	}
}

// problem sets the result of a check whose calls succeeded.
func (k *checker) problem(status Status, detail, fix string) {
	k.Status, k.Detail, k.Fix = status, detail, fix
}

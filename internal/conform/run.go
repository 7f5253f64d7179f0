package conform

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// A Status is the result of a case.
type Status string

// The results of cases.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Unmet   Status = "unmet" // a recommendation that is not met
	Skipped Status = "skipped"
)

// A Result is the result of one case.
type Result struct {
	Name     string        `json:"name"`
	Title    string        `json:"title"`
	Source   string        `json:"source"`
	Severity string        `json:"severity"` // required or recommended
	Status   Status        `json:"status"`
	Reason   string        `json:"reason,omitempty"` // of a failure or skip
	Seconds  float64       `json:"seconds"`
	Dialogue []string      `json:"dialogue,omitempty"` // unless it passed
	Stderr   []string      `json:"stderr,omitempty"`   // the last lines, unless it passed
	Took     time.Duration `json:"-"`
}

// stderrLines is how many lines of standard error a result has.
const stderrLines = 20

// Run plays the cases of a suite. The results are in the order of the cases; report gets each as soon as it and those before it are there.
func Run(ctx context.Context, s Suite, o Options, report func(Result)) []Result {
	results := make([]Result, len(s.Cases))
	done := make([]chan struct{}, len(s.Cases))
	next := make(chan int)
	var wg sync.WaitGroup
	for i := range done {
		done[i] = make(chan struct{})
	}
	for range max(1, o.Parallel) {
		wg.Go(func() {
			for i := range next {
				results[i] = runCase(ctx, s, s.Cases[i], o)
				close(done[i])
			}
		})
	}
	wg.Go(func() {
		defer close(next)
		for i := range s.Cases {
			next <- i
		}
	})
	for i := range results {
		<-done[i]
		report(results[i])
	}
	wg.Wait()
	return results
}

// runCase plays one case.
func runCase(ctx context.Context, s Suite, c Case, o Options) Result {
	began := time.Now()
	r := Result{Name: c.Name, Title: c.Title, Source: c.Source, Severity: "required", Status: Passed}
	if c.Recommended {
		r.Severity = "recommended"
	}
	p := &play{side: s.Side, limits: o, binds: binds{}, joined: map[string]*strings.Builder{}, inputOpen: true}
	err := p.run(ctx, c)
	skipped, isSkip := errors.AsType[*errSkipped](err)
	switch {
	case err == nil:
	case isSkip:
		r.Status, r.Reason = Skipped, skipped.reason
	case c.Recommended:
		r.Status, r.Reason = Unmet, err.Error()
	default:
		r.Status, r.Reason = Failed, err.Error()
	}
	if err != nil {
		r.Dialogue = p.dialogue
		if p.program != nil {
			r.Stderr = p.program.stderr.lines(stderrLines)
		}
	}
	r.Took = time.Since(began)
	r.Seconds = r.Took.Seconds()
	return r
}

// run starts the model and the program, and plays the steps of a case.
func (p *play) run(ctx context.Context, c Case) error {
	ctx, cancel := context.WithTimeoutCause(ctx, p.limits.Limit, fmt.Errorf("%s have passed", p.limits.Limit))
	defer cancel()
	root, err := os.MkdirTemp("", "conform-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	where, err := p.limits.makePlace(root)
	if err != nil {
		return err
	}
	p.binds["WORK"], p.binds["HOME"], p.binds["MEBIBYTE"] = where.work, where.home, strings.Repeat("lorem ip", 1<<17)
	if p.model, err = startModel(context.WithoutCancel(ctx), c.model); err != nil {
		return err
	}
	defer p.model.close()
	if err := p.limits.copyHome(where, p.limits.filler(where, p.model)); err != nil {
		return fmt.Errorf("copy the home folder: %w", err)
	}
	if p.program, err = p.limits.start(context.WithoutCancel(ctx), where, p.model); err != nil {
		p.program = nil
		return err
	}
	defer p.program.discard()
	defer context.AfterFunc(ctx, p.program.stop)() // also ends a write that blocks
	if err := p.steps(ctx, c); err != nil {
		return err
	}
	return context.Cause(ctx) // the end of a program that was killed is not its own
}

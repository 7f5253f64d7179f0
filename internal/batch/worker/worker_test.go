package worker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/internal/batch"
)

// TestOutcomes runs one task for each outcome of an attempt.
func TestOutcomes(t *testing.T) {
	for _, test := range []struct {
		name   string
		task   batch.Task // $REPO is the repository
		want   string     // status, kind of the error, answer
		verify string     // exit codes
		patch  string     // op and path of files
	}{
		{"done", batch.Task{Prompt: "say fine"}, "done - fine", "", ""},
		{"verified", batch.Task{Prompt: "say fine", Repo: "$REPO", Verify: []string{"grep -q one README.md", "test $PARLEY_TASK$PARLEY_ATTEMPT = t1"}}, "done - fine", "0 0", ""},
		{"not verified", batch.Task{Prompt: "say fine", Verify: []string{"true", "exit 3"}}, "failed verify fine", "0 3", ""},
		{"a patch", batch.Task{Prompt: "say fine", Repo: "$REPO", Verify: []string{"echo two > README.md; echo new > a.txt"}}, "done - fine", "0", "change README.md, add a.txt"},
		{"a patch of a failure", batch.Task{Prompt: "say fine", Repo: "$REPO", Verify: []string{"rm README.md; false"}}, "failed verify fine", "1", "remove README.md"},
		{"a folder below", batch.Task{Prompt: "say fine", Repo: "$REPO", Dir: "none"}, "dead setup ", "", ""},
		{"no repository", batch.Task{Prompt: "say fine", Repo: "/does/not/exist"}, "dead setup ", "", ""},
		{"no ref", batch.Task{Prompt: "say fine", Repo: "$REPO", Ref: "none", RetryOn: []batch.Cause{}}, "failed setup ", "", ""},
		{"no key", batch.Task{Prompt: "say fine", Model: "none"}, "dead setup ", "", ""},
		{"the provider", batch.Task{Prompt: "quota"}, "dead provider ", "", ""},
		{"refused", batch.Task{Prompt: "refuse that"}, "failed refused that", "", ""},
		{"too slow a turn", batch.Task{Prompt: "wait long", Timeout: batch.Duration(time.Millisecond)}, "timeout timeout ", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			test.task.Repo = strings.ReplaceAll(test.task.Repo, "$REPO", f.repo)
			f.submit(test.task)
			f.run()
			r := f.task("t").Result
			if r == nil {
				t.Fatalf("there is no result\n%s", f.log)
			}
			kind, exits, files := "-", []string{}, []string{}
			if r.Error != nil {
				kind = r.Error.Kind
			}
			for _, v := range r.Verify {
				exits = append(exits, fmt.Sprint(v.Exit))
			}
			if r.Patch != nil {
				for _, file := range r.Patch.Files {
					files = append(files, file.Op+" "+file.Path)
				}
			}
			got := fmt.Sprintf("%s %s %s", r.Status, kind, r.Answer)
			if got != test.want || strings.Join(exits, " ") != test.verify || strings.Join(files, ", ") != test.patch {
				t.Errorf("%q, verification %q, patch %q; %+v\n%s", got, exits, files, r.Error, f.log)
			}
			f.nothingLeft()
		})
	}
}

// TestSystemFolder: a link to a folder whose files the system makes is not copied.
func TestSystemFolder(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/proc/self", link); err != nil {
		t.Skip(err)
	}
	if _, err := os.Stat(link); err != nil {
		t.Skip(err)
	}
	f := newFixture(t)
	f.submit(batch.Task{Prompt: "say fine", Repo: link, RetryOn: []batch.Cause{}})
	f.run()
	if r := f.task("t").Result; r == nil || r.Error == nil || !strings.Contains(r.Error.Message, "folder of the system") {
		t.Errorf("%+v\n%s", r, f.log)
	}
	f.nothingLeft()
}

// TestPinnedCommit: all attempts of a task work on the commit that the first one found.
func TestPinnedCommit(t *testing.T) {
	f := newFixture(t)
	first := f.git("rev-parse", "HEAD")
	f.submit(batch.Task{Prompt: "say fine", Repo: f.repo, Ref: "main", Attempts: 2, Verify: []string{"grep -q one README.md && test $PARLEY_ATTEMPT = 2"}, RetryOn: []batch.Cause{batch.CauseVerify}})
	f.run()
	if f.commit("two") == first {
		t.Fatal("there is no second commit")
	}
	f.run()
	if r := f.task("t").Result; r == nil || r.Status != batch.Done || r.Attempt != 2 || r.Commit != first {
		t.Errorf("%+v", r)
	}
}

// TestSlowVerification: a verification that takes longer than the task may is ended. On a busy machine the turn may take as
// long: then the task gets a longer limit.
func TestSlowVerification(t *testing.T) {
	for limit := 500 * time.Millisecond; ; limit *= 2 {
		f := newFixture(t)
		f.submit(batch.Task{Prompt: "say fine", Verify: []string{"sleep 1000"}, Timeout: batch.Duration(limit)})
		f.run()
		r := f.task("t").Result
		if r == nil || r.Status != batch.TimedOut || r.Error == nil || r.Error.Kind != "timeout" {
			t.Fatalf("%+v\n%s", r, f.log)
		}
		if len(r.Verify) == 1 {
			if r.Answer != "fine" || r.Verify[0].Exit != 143 {
				t.Errorf("the answer is %q, the verification %+v", r.Answer, r.Verify)
			}
			return
		}
		if limit > patience {
			t.Fatalf("no verification began within %v\n%s", limit, f.log)
		}
	}
}

// TestOnce: the worker ends after one task. Others stay in the queue.
func TestOnce(t *testing.T) {
	f := newFixture(t)
	f.submit(batch.Task{ID: "a", Prompt: "say a"}, batch.Task{ID: "b", Prompt: "say b"})
	f.run()
	if a, b := f.task("a"), f.task("b"); a.Status != batch.Done || b.Status != batch.Queued {
		t.Errorf("a is %s, b is %s", a.Status, b.Status)
	}
}

// TestIdleExit: the worker ends when there was no task for so long, and not while one runs.
func TestIdleExit(t *testing.T) {
	f := newFixture(t)
	f.submit(batch.Task{Prompt: "wait long"})
	f.options.Once, f.options.IdleExit, f.options.Slots = false, time.Second, 2
	ended := make(chan error, 1)
	go func() { ended <- Run(f.ctx, f.options) }()
	<-f.model.waiting
	select {
	case err := <-ended:
		t.Fatalf("it ended while a task runs: %v", err)
	case <-time.After(2 * f.options.IdleExit):
	}
	f.submitAs("later", batch.Task{Prompt: "wait too"})
	select {
	case <-f.model.waiting:
	case <-f.ctx.Done():
		t.Error("it took no further task")
	}
	close(f.model.release)
	if err := <-ended; err != nil || f.task("t").Status != batch.Done {
		t.Errorf("the task is %s, %v", f.task("t").Status, err)
	}
}

// TestEnd: a worker that is asked to end waits for its task, and gives it back after Drain, which uses up no attempt.
func TestEnd(t *testing.T) {
	for _, test := range []struct {
		name    string
		drain   time.Duration
		release bool
		want    string // status, attempts that count
	}{
		{"in time", patience, true, "done 1"},
		{"too late", 0, false, "queued 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			f.submit(batch.Task{Prompt: "wait long", Repo: f.repo}, batch.Task{ID: "next", Prompt: "say fine"})
			f.options.Drain = test.drain
			stop, wait := f.start()
			<-f.model.waiting
			stop()
			if test.release {
				close(f.model.release)
			}
			wait()
			if s := f.task("t"); fmt.Sprint(s.Status, " ", s.Used) != test.want {
				t.Errorf("the task is %s, and %d attempts count, want %s", s.Status, s.Used, test.want)
			}
			if s := f.task("next"); s.Status != batch.Queued || s.Attempt != 0 {
				t.Errorf("another task was taken: %s, attempt %d", s.Status, s.Attempt)
			}
			f.nothingLeft()
		})
	}
}

// TestCancel: a cancellation stops an attempt that runs.
func TestCancel(t *testing.T) {
	f := newFixture(t)
	f.submit(batch.Task{Prompt: "wait long"})
	_, wait := f.start()
	<-f.model.waiting
	if _, err := f.batches.Cancel(f.ctx, "b", nil); err != nil {
		t.Fatal(err)
	}
	if s := f.until("t", batch.Cancelled); s.Result.Error.Kind != "cancelled" || s.Result.Attempt != 1 {
		t.Errorf("%+v", s.Result)
	}
	wait()
}

// TestUnsuitable: a worker leaves tasks that need another one.
func TestUnsuitable(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Options)
		want   batch.Status
	}{
		{"suitable", func(o *Options) { o.Labels, o.Repos = map[string]string{"os": "linux"}, []string{"**/repo"} }, batch.Done},
		{"without the label", func(*Options) {}, batch.Queued},
		{"with another value", func(o *Options) { o.Labels = map[string]string{"os": "plan9"} }, batch.Queued},
		{"with other repositories", func(o *Options) { o.Labels, o.Repos = map[string]string{"os": "linux"}, []string{"/srv/**"} }, batch.Queued},
		{"of another queue", func(o *Options) { o.Labels, o.Queues = map[string]string{"os": "linux"}, []string{"other"} }, batch.Queued},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.submit(batch.Task{Prompt: "say fine", Repo: f.repo, Labels: map[string]string{"os": "linux"}})
			test.change(&f.options)
			if test.want == batch.Queued {
				f.options.Once, f.options.IdleExit = false, time.Second
			}
			f.run()
			if s := f.task("t"); s.Status != test.want {
				t.Errorf("the task is %s, want %s", s.Status, test.want)
			}
		})
	}
}

// A paused store is that of a worker which extends nothing and learns nothing, as one under SIGSTOP.
type paused struct{ batch.Store }

func (paused) Visibility() time.Duration { return 24 * time.Hour }

// TestPausedWorker: the result of a worker that was paused while its task went on is refused, and its folder is removed.
func TestPausedWorker(t *testing.T) {
	f := newFixture(t)
	f.submit(batch.Task{Prompt: "wait long", Repo: f.repo, Attempts: 3})
	f.options.Batches = batch.NewWithDelay(paused{f.store}, time.Millisecond)
	_, wait := f.start()
	<-f.model.waiting
	redelivered := again{batch.Ref{Queue: batch.DefaultQueue, Batch: "b", Task: "t"}}
	next := claim(t, f, redelivered)
	close(f.model.release)
	wait()
	if s := f.task("t"); s.Status != batch.Running || s.Attempt != 2 || s.Worker != "next" {
		t.Errorf("%+v\n%s", s, f.log)
	}
	if text := f.log.String(); !strings.Contains(text, "the result is dropped") {
		t.Errorf("the log is %s", text)
	}
	f.nothingLeft()
	if _, err := next.Finish(f.ctx, batch.Outcome{Status: batch.Done, Answer: "theirs"}); err != nil {
		t.Fatal(err)
	}
	if r := f.task("t").Result; r.Answer != "theirs" || r.Attempt != 2 {
		t.Errorf("%+v", r)
	}
}

// claim claims a task for another worker until an attempt begins: the first delivery ends that of the paused one.
func claim(t *testing.T, f *fixture, d batch.Delivery) *batch.Attempt {
	t.Helper()
	for f.ctx.Err() == nil {
		a, err := f.batches.Claim(f.ctx, d, batch.Worker{ID: "next"})
		if err != nil {
			t.Fatal(err)
		}
		if a != nil {
			return a
		}
	}
	t.Fatal("no attempt begins")
	return nil
}

// An again is a delivery of a task that another worker has.
type again struct{ ref batch.Ref }

func (a again) Ref() batch.Ref                         { return a.ref }
func (again) Extend(context.Context) error             { return nil }
func (again) Ack(context.Context) error                { return nil }
func (again) Nak(context.Context, time.Duration) error { return nil }

// TestAcceptor: patterns name the repositories whose tasks a worker runs.
func TestAcceptor(t *testing.T) {
	for _, test := range []struct {
		patterns []string
		repo     string
		want     bool
	}{
		{nil, "/srv/a", true},
		{[]string{"/srv/*"}, "/srv/a", true},
		{[]string{"/srv/*"}, "/srv/a/b", false},
		{[]string{"/srv/**"}, "/srv/a/b", true},
		{[]string{"/other", "https://example.com/**"}, "https://example.com/a.git", true},
		{[]string{"/other"}, filepath.Join("/other", "a"), false},
	} {
		accepts, err := acceptor(test.patterns)
		if got := accepts == nil || accepts(test.repo); err != nil || got != test.want {
			t.Errorf("%q, %s: %t, %v", test.patterns, test.repo, got, err)
		}
	}
	if _, err := acceptor([]string{"["}); err == nil {
		t.Error("a pattern that is none was accepted")
	}
}

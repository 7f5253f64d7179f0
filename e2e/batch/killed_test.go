package batch

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/racetest"
)

// killedTasks returns how many tasks run while a worker is killed after every eighth of them.
func killedTasks() int { return racetest.Size(500, 120) }

// TestKilledWorkers kills workers on one machine.
func TestKilledWorkers(t *testing.T) {
	t.Parallel()
	newSite(t).killWorkers(killedTasks(), afterEach(killedTasks()/8))
}

// intervalEnv is the environment variable with the interval at which TestWorkersKilledInStep kills workers.
const intervalEnv = "PARLEY_BATCH_KILL"

// TestWorkersKilledInStep kills a worker at an interval, also one in step with redeliveries and delays, such as 10s.
func TestWorkersKilledInStep(t *testing.T) {
	t.Parallel()
	interval, err := time.ParseDuration(os.Getenv(intervalEnv))
	if err != nil {
		t.Skip("it takes minutes: set " + intervalEnv + " to an interval such as 10s")
	}
	for name, site := range map[string]func(t *testing.T) *site{
		"files":  newSite,
		"server": func(t *testing.T) *site { return newSite(t).onServer() },
	} {
		t.Run(name, func(t *testing.T) { site(t).killWorkers(500, atInterval(interval)) })
	}
}

// A schedule is when workers are killed.
type schedule struct {
	results func(n int) bool // whether one is killed after the n-th result
	ticks   <-chan time.Time // at each of which one is killed; nil: at none
}

// afterEach kills a worker after every so many results.
func afterEach(results int) schedule {
	return schedule{results: func(n int) bool { return n%results == 0 }}
}

// atInterval kills a worker at an interval.
func atInterval(d time.Duration) schedule {
	return schedule{results: func(int) bool { return false }, ticks: time.Tick(d)}
}

// killWorkers runs tasks over three workers, of which one is killed now and then. Each task is done once, within the attempts that tasks
// have by default, every patch applies at its commit, and nothing is left.
func (s *site) killWorkers(tasks int, kill schedule) {
	t := s.T
	s.tasks(mixedTasks(s.repo, tasks)...)
	id, begin := s.submit(), time.Now()
	workers := []*stage.Process{s.worker("--slots", "2"), s.worker("--slots", "2"), s.worker("--slots", "2")}
	follow := stage.Launch(t, s.Command(t, "batch", "results", id, "--follow", "--json"))
	lines := make(chan string)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(follow.Stdout)
		for scanner.Buffer(nil, 1<<20); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	killed := 0
	replace := func() {
		which := killed % len(workers)
		workers[which].Kill()
		workers[which] = s.worker("--slots", "2")
		killed++
	}
	seen, attempts := map[string]bool{}, map[int]int{}
	for open := true; open; {
		select {
		case <-kill.ticks:
			replace()
		case line, more := <-lines:
			if open = more; !more {
				continue
			}
			r := decode[result](t, line)
			if seen[r.Task] || r.Status != "done" {
				t.Errorf("task %s has another result: %s", r.Task, line)
			}
			seen[r.Task] = true
			attempts[r.Attempt]++
			if n := len(seen); n < tasks && kill.results(n) {
				replace()
			}
		}
	}
	if code := follow.Code(); code != 0 || len(seen) != tasks {
		t.Errorf("%d results, exit code %d", len(seen), code)
	}
	t.Logf("%d workers were killed in %s; tasks by their attempts: %v", killed, time.Since(begin).Round(time.Second), attempts)
	for _, w := range workers {
		w.Signal(syscall.SIGTERM)
	}
	for _, w := range workers {
		if code := w.Code(); code != 0 {
			t.Errorf("a worker ended with %d", code)
		}
	}
	s.nothingLeft()
	s.parley(0, "batch", "status", id)
	s.parley(0, "batch", "results", id, "--out", "out")
	s.patchesApply("out", tasks/5)
}

// mixedTasks returns tasks of which every fifth changes a file of a repository, and some run a command.
func mixedTasks(repo string, n int) (lines []string) {
	for i := range n {
		id := fmt.Sprintf("t%03d", i)
		switch {
		case i%5 == 0:
			lines = append(lines, task(id, fmt.Sprintf("create %s.txt containing %d", id, i), fmt.Sprintf(`"repo":%q`, repo)))
		case i%50 == 1:
			lines = append(lines, task(id, "run `echo $PARLEY_TASK`", ""))
		default:
			lines = append(lines, task(id, "hello", ""))
		}
	}
	return lines
}

// patchesApply applies every patch of a folder of results in a clone at its commit.
func (s *site) patchesApply(out string, want int) {
	s.Helper()
	paths, err := filepath.Glob(filepath.Join(s.Work, out, "*", "patch.diff"))
	if err != nil || len(paths) != want {
		s.Errorf("%d patches, want %d: %v", len(paths), want, err)
	}
	clone := filepath.Join(s.Root, "clone")
	s.git(s.Root, "clone", "-q", s.repo, clone)
	for _, path := range paths {
		line, err := os.ReadFile(filepath.Join(filepath.Dir(path), "result.json"))
		if err != nil {
			s.Fatal(err)
		}
		if commit := decode[result](s.T, string(line)).Commit; commit != strings.TrimSpace(s.git(clone, "rev-parse", "HEAD")) {
			s.git(clone, "checkout", "-q", "-f", commit)
		}
		s.git(clone, "apply", "--check", path)
	}
}

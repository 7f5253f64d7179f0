// Package batch drives parley batch and parley worker of the built program as users do.
package batch

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
)

// A site is a place with a git repository.
type site struct {
	*testing.T
	*stage.Place
	mark stage.Mark
	repo string
}

func newSite(t *testing.T) *site {
	t.Helper()
	p := stage.NewHostPlace(t)
	s := &site{T: t, Place: p, mark: stage.NewMark(p), repo: filepath.Join(p.Root, "repo")}
	p.Model = "offline/demo"
	if err := os.Mkdir(s.repo, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.repo, "README.md"), []byte("teh end\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.git(s.repo, "init", "-q", "-b", "main")
	s.git(s.repo, "add", "-A")
	s.git(s.repo, "-c", "user.name=Ana", "-c", "user.email=ana@example.com", "commit", "-q", "-m", "first")
	return s
}

func (s *site) git(dir string, args ...string) string {
	s.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.Home}
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// parley runs a command and returns its output; want is its exit code.
func (s *site) parley(want int, args ...string) (stdout, stderr string) {
	s.Helper()
	cmd := s.Command(s.T, args...)
	var out, problem strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &problem
	_ = cmd.Run() // its exit code is compared
	if code := cmd.ProcessState.ExitCode(); code != want {
		s.Fatalf("parley %v ended with %d, want %d\n%s%s", args, code, want, out.String(), problem.String())
	}
	return out.String(), problem.String()
}

// tasks writes a tasks file.
func (s *site) tasks(lines ...string) {
	s.Helper()
	s.Write(s.T, "tasks.jsonl", strings.Join(lines, "\n")+"\n")
}

// tasksThatWait writes a tasks file: t0 and so on end at once, and the last ones when there is a file called marker.
func (s *site) tasksThatWait(quick, waiting int, marker string) {
	s.Helper()
	var lines []string
	for i := range quick + waiting {
		prompt := "hello"
		if i >= quick {
			prompt = fmt.Sprintf("run `until test -e %s; do read -t 0.1 < <(:) || true; done`", marker)
		}
		lines = append(lines, task(fmt.Sprintf("t%d", i), prompt, fmt.Sprintf(`"repo":%q`, s.repo)))
	}
	s.tasks(lines...)
}

// A result is what the tests read of a line of results.
type result struct {
	Task, Status, Answer, Session, Commit string
	Attempt                               int
	Patch                                 *struct{ Bytes int }
	Verify                                []struct {
		Exit   int
		Output string
	}
	Error *struct{ Kind, Message string }
}

// results returns the results of a batch by task.
func (s *site) results(id string) map[string]result {
	s.Helper()
	out, _ := s.parley(0, "batch", "results", id, "--json")
	found := map[string]result{}
	for line := range strings.Lines(out) {
		r := decode[result](s.T, line)
		found[r.Task] = r
	}
	return found
}

func decode[T any](t *testing.T, line string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(line), &v, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return v
}

// A report is what the tests read of a line of status.
type report struct {
	Queued, Running, Done, Failed, Budget, Timeout, Cancelled, Dead int
	Finished                                                        bool
}

// watch starts a status that watches, and returns a function that reads up to a state.
func (s *site) watch(id string) (until func(what string, is func(report) bool) report) {
	s.Helper()
	p := stage.Launch(s.T, s.Command(s.T, "batch", "status", id, "--watch", "--json"))
	lines := bufio.NewScanner(p.Stdout)
	return func(what string, is func(report) bool) report {
		s.Helper()
		for lines.Scan() {
			if r := decode[report](s.T, lines.Text()); is(r) {
				return r
			}
		}
		s.Fatalf("the status ended before %s", what)
		return report{}
	}
}

// nothingLeft checks that no process and no worktree is left.
func (s *site) nothingLeft() {
	s.Helper()
	s.mark.WantEnded(s.T, nil)
	left, err := filepath.Glob(s.State() + ".batch/tasks/[^.]*")
	if err != nil || len(left) > 0 {
		s.Errorf("worktrees are left: %q, %v", left, err)
	}
	if list := s.git(s.repo, "worktree", "list"); strings.Count(list, "\n") != 1 {
		s.Errorf("the repository has worktrees:\n%s", list)
	}
}

// worker starts a worker and waits until it is ready.
func (s *site) worker(args ...string) *stage.Process {
	s.Helper()
	p := stage.Launch(s.T, s.Command(s.T, append([]string{"worker", "--json"}, args...)...))
	if ready := bufio.NewScanner(p.Stdout); !ready.Scan() || !strings.Contains(ready.Text(), `"worker":"h-`) {
		s.Fatalf("the worker is not ready: %q\n%s", ready.Text(), p.Stderr)
	}
	return p
}

// submit submits tasks.jsonl and returns the id of the batch.
func (s *site) submit(args ...string) string {
	s.Helper()
	out, _ := s.parley(0, append([]string{"batch", "submit", "tasks.jsonl", "--json"}, args...)...)
	return decode[struct{ Batch string }](s.T, out).Batch
}

func task(id, prompt, more string) string {
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"id":%q,"prompt":%q%s}`, id, prompt, more)
}

// until reads lines of status up to a state.
func (s *site) until(p *stage.Process, is func(report) bool) {
	s.Helper()
	lines := bufio.NewScanner(p.Stdout)
	for lines.Scan() {
		if is(decode[report](s.T, lines.Text())) {
			return
		}
	}
	s.Fatalf("the program ended\n%s", p.Stderr)
}

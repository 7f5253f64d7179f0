package batch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/e2e/stage"
)

// TestOutcomes runs a task for each outcome, and what users do afterwards.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.tasks(
		task("done", `replace "teh" with "the" in README.md`, fmt.Sprintf(`"repo":%q,"verify":["grep -q the README.md","test $PARLEY_TASK = done"]`, s.repo)),
		task("url", "create a/b containing c", fmt.Sprintf(`"repo":"file://%s","ref":"main"`, s.repo)),
		task("plain", "create a.txt containing b", fmt.Sprintf(`"repo":%q`, s.Home+"/plain")),
		task("vars", "run `echo $PARLEY_BATCH/$PARLEY_TASK/$PARLEY_ATTEMPT`", ""),
		task("unverified", "hello", `"verify":["false","true"]`),
		task("slow", "run `sleep 100`", `"timeout":"1s"`),
		task("spent", "run `true`", `"budget":{"tool_calls":1}`),
		task("norepo", "hello", `"repo":"/does/not/exist","attempts":1`),
		task("nokey", "hello", `"model":"openai/gpt-5","attempts":1`),
		task("noref", "hello", fmt.Sprintf(`"repo":%q,"ref":"none","retry_on":["lost"]`, s.repo)),
	)
	if err := os.Mkdir(s.Home+"/plain", 0o700); err != nil {
		t.Fatal(err)
	}
	s.parley(3, "batch", "run", "tasks.jsonl", "-j", "4", "--batch", "x", "--out", "out")
	got := s.results("x")
	for id, want := range map[string]string{
		"done": "done ", "url": "done ", "plain": "done ", "vars": "done ", "unverified": "failed verify", "slow": "timeout timeout",
		"spent": "budget budget", "norepo": "dead setup", "nokey": "dead setup", "noref": "failed setup",
	} {
		r := got[id]
		kind := ""
		if r.Error != nil {
			kind = r.Error.Kind
		}
		if text := r.Status + " " + kind; text != want {
			t.Errorf("%s is %s, want %s: %+v", id, text, want, r.Error)
		}
	}
	if r := got["unverified"]; len(r.Verify) != 2 || r.Verify[0].Exit != 1 || r.Verify[1].Exit != 0 {
		t.Errorf("verification %+v", r.Verify)
	}
	if r := got["vars"]; !strings.Contains(r.Answer, "x/vars/1") {
		t.Errorf("variables: %s", r.Answer)
	}
	if got["plain"].Commit != "" || got["plain"].Patch == nil || got["url"].Commit == "" || got["url"].Commit != got["done"].Commit {
		t.Errorf("%+v, %+v", got["plain"], got["url"])
	}
	s.nothingLeft()
	if text, err := os.ReadFile(filepath.Join(s.repo, "README.md")); err != nil || string(text) != "teh end\n" {
		t.Errorf("the user's file is %q", text)
	}
	before, err := os.Stat(filepath.Join(s.Work, "out", "done", "patch.diff"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(s.Work, "out", "url", "result.json")); err != nil {
		t.Fatal(err)
	}
	s.parley(0, "batch", "results", "x", "--out", "out", "--sessions")
	if after, err := os.Stat(filepath.Join(s.Work, "out", "done", "patch.diff")); err != nil || !os.SameFile(before, after) {
		t.Errorf("a file that was right was written again: %v", err)
	}
	for _, name := range []string{"url/result.json", "done/session.jsonl"} {
		if _, err := os.Stat(filepath.Join(s.Work, "out", name)); err != nil {
			t.Error(err)
		}
	}
	if _, stderr := s.parley(1, "run", "--resume", got["done"].Session, "go on"); !strings.Contains(stderr, "the session of a batch takes no prompts") {
		t.Errorf("a prompt: %s", stderr)
	}
	out, _ := s.parley(0, "batch", "retry", "x", "--dead", "--json")
	if want := `{"batch":"x","retried":2}` + "\n"; out != want {
		t.Errorf("%s", out)
	}
	s.parley(4, "batch", "status", "x")
	if _, stderr := s.parley(1, "batch", "rm", "x"); !strings.Contains(stderr, "not finished") {
		t.Errorf("rm: %s", stderr)
	}
	out, _ = s.parley(0, "batch", "cancel", "x", "--json")
	if want := `{"batch":"x","cancelled":2}` + "\n"; out != want {
		t.Errorf("%s", out)
	}
	out, _ = s.parley(3, "batch", "status", "x", "--tasks", "--state", "cancelled", "--json")
	if strings.Count(out, "\n") != 2 {
		t.Errorf("%s", out)
	}
	s.parley(0, "batch", "rm", "x", "--sessions")
	s.parley(1, "batch", "status", "x")
	if out, _ := s.parley(0, "batch", "list", "--json"); strings.TrimSpace(out) != "{\n  \"batches\": []\n}" {
		t.Errorf("%s", out)
	}
}

// TestWrongFiles: nothing is stored of a file with errors, or of one that is another batch's.
func TestWrongFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.tasks(`{"prompt":"a"}`, `{"prmpt":"a"}`, `{"prompt":"b","id":"1 2"}`)
	_, stderr := s.parley(2, "batch", "submit", "tasks.jsonl")
	for _, want := range []string{"tasks.jsonl: nothing was submitted", `line 2: there is no member "prmpt"; did you mean "prompt"?`, `line 3: id "1 2": want`} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q lacks %q", stderr, want)
		}
	}
	if strings.Contains(stderr, "Usage:") {
		t.Errorf("usage: %s", stderr)
	}
	s.tasks(task("a", "hello", ""), task("b", "hello", ""))
	s.parley(2, "batch", "submit", "tasks.jsonl", "--budget", "cost=1")
	s.parley(2, "batch", "submit", "tasks.jsonl", "--task-budget", "dollars=1")
	if out, _ := s.parley(0, "batch", "submit", "tasks.jsonl", "--batch", "x", "--json"); out != `{"batch":"x","tasks":2,"new":2}`+"\n" {
		t.Errorf("%s", out)
	}
	if out, _ := s.parley(0, "batch", "submit", "tasks.jsonl", "--batch", "x", "--json"); out != `{"batch":"x","tasks":2,"new":0}`+"\n" {
		t.Errorf("%s", out)
	}
	s.tasks(task("a", "hello", ""), task("b", "help", ""))
	if _, stderr := s.parley(1, "batch", "submit", "tasks.jsonl", "--batch", "x"); !strings.Contains(stderr, "these tasks differ: b;") {
		t.Errorf("%s", stderr)
	}
}

// TestDrainAndCancel: SIGTERM gives a task back without using an attempt up; a cancellation stops one that runs.
func TestDrainAndCancel(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.tasks(task("long", "run `sleep 1000`", fmt.Sprintf(`"repo":%q,"attempts":1`, s.repo)))
	id := s.submit()
	until := s.watch(id)
	w := s.worker("--drain", "10ms")
	until("the task runs", func(r report) bool { return r.Running == 1 })
	w.Signal(syscall.SIGTERM)
	if code := w.Code(); code != 0 {
		t.Errorf("the worker ended with %d", code)
	}
	until("the task is given back", func(r report) bool { return r.Queued == 1 })
	s.nothingLeftBut("status")
	w = s.worker("--drain", "10ms")
	until("the task runs again", func(r report) bool { return r.Running == 1 })
	s.parley(0, "batch", "cancel", id)
	until("the task is cancelled", func(r report) bool { return r.Cancelled == 1 && r.Finished })
	w.Signal(syscall.SIGTERM)
	if code := w.Code(); code != 0 {
		t.Errorf("the worker ended with %d", code)
	}
	if r := s.results(id)["long"]; r.Status != "cancelled" || r.Attempt != 2 {
		t.Errorf("%+v", r)
	}
	s.nothingLeft()
}

// nothingLeftBut is nothingLeft while a command still runs.
func (s *site) nothingLeftBut(command string) {
	s.Helper()
	s.mark.WantEnded(s.T, func(_ int, line string) bool { return strings.Contains(line, command) })
}

// TestInterruptedRun: a run that was interrupted, or killed, continues.
func TestInterruptedRun(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	marker := filepath.Join(s.Root, "temp", "go")
	s.tasksThatWait(3, 3, marker)
	args := []string{"batch", "run", "tasks.jsonl", "-j", "3", "--batch", "x"}
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
		p := stage.Launch(t, s.Command(t, append(args, "--json")...))
		s.until(p, func(r report) bool { return r.Done == 3 && r.Running == 3 })
		p.Signal(signal)
		want := -1
		if signal == syscall.SIGINT {
			want = 130
		}
		if code := p.Code(); code != want {
			t.Errorf("%s: exit code %d", signal, code)
		}
	}
	if err := os.WriteFile(marker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.parley(0, args...)
	for id, r := range s.results("x") {
		if first := id < "t3"; first != (r.Attempt == 1) || r.Status != "done" {
			t.Errorf("%s: %+v", id, r)
		}
	}
	s.nothingLeft()
}

// TestBatchBudget: what attempts use together is never more than the budget of the batch.
func TestBatchBudget(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var lines []string
	for i := range 12 {
		lines = append(lines, task(fmt.Sprintf("t%02d", i), "run `true`", ""))
	}
	s.tasks(lines...)
	s.parley(3, "batch", "run", "tasks.jsonl", "-j", "3", "--batch", "x", "--budget", "tool_calls=7", "--task-budget", "tool_calls=2")
	done := 0
	for id, r := range s.results("x") {
		switch r.Status {
		case "done":
			done++
		case "budget":
		default:
			t.Errorf("%s: %+v", id, r)
		}
	}
	if done != 6 { // each uses 1 of its 2: the seventh would need 2 of the 1 that is left
		t.Errorf("%d tasks are done", done)
	}
	s.nothingLeft()
}

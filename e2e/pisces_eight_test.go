package e2e

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/e2e/stage"
)

// eight is the tasks of the test, in their order.
var eight = []string{"Good1", "Bad1", "Good2", "Over", "Good3", "Killed", "Bad2", "Good4"}

// A crowd is a model server for eight concurrent subagents. It knows a subagent by its first prompt,
// and its progress by the number of tool results. It sends no first answer before
// all eight have sent a request.
type crowd struct {
	t      testing.TB
	mu     sync.Mutex
	asking map[string]bool
	all    chan struct{}
}

func (c *crowd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		io.WriteString(w, `{"object":"list","data":[]}`)
		return
	}
	var body struct {
		Messages []struct {
			Role    string `json:"role"`
			Content any    `json:"content"`
		} `json:"messages"`
	}
	if err := json.UnmarshalRead(r.Body, &body); err != nil {
		return // the client is gone
	}
	first, last, step := "", "", 0
	for _, m := range body.Messages {
		text := stage.TextOf(m.Content)
		if m.Role == "user" && first == "" {
			first = text
		}
		if m.Role == "tool" {
			last, step = text, step+1
		}
	}
	name, isTask := strings.CutPrefix(first, "Be ")
	if isTask && step == 0 && !c.gather(name, r.Context().Done()) {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	say := func(delta, finish string) {
		fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
	}
	if tool, input := c.answer(name, step, last); tool != "" {
		arguments, _ := json.Marshal(input) // a text
		say(fmt.Sprintf(`{"role":"assistant","tool_calls":[{"index":0,"id":"%s_%d","type":"function","function":{"name":%q,"arguments":%s}}]}`, name, step, tool, arguments), "null")
		say(`{}`, `"tool_calls"`)
	} else {
		say(`{"role":"assistant","content":"All is done."}`, "null")
		say(`{}`, `"stop"`)
	}
	io.WriteString(w, "data: [DONE]\n\n")
}

// gather waits until all have come; false: this one went away.
func (c *crowd) gather(name string, gone <-chan struct{}) bool {
	c.mu.Lock()
	if c.asking[name] = true; len(c.asking) == len(eight) {
		select {
		case <-c.all: // a subagent sends another request
		default:
			close(c.all)
		}
	}
	c.mu.Unlock()
	select {
	case <-c.all:
		return true
	case <-gone:
		return false
	}
}

// answer returns the call that is made; "": none.
func (c *crowd) answer(name string, step int, last string) (tool, input string) {
	const done = `{"result":{"data":"did it"}}`
	kind := strings.TrimRight(name, "0123456789")
	switch {
	case kind == "go" && step == 0:
		var tasks []string
		for _, name := range eight {
			tasks = append(tasks, fmt.Sprintf(`{"id":%q,"description":"","assignment":"Be %s"}`, name, name))
		}
		return "task", `{"agent":"task","isolated":true,"verify":true,"tasks":[` + strings.Join(tasks, ",") + `]}`
	case kind == "Good" && step == 0:
		return "write", fmt.Sprintf(`{"path":"%s.txt","content":"good\n"}`, name)
	case kind == "Good" && step == 1:
		return "edit", fmt.Sprintf(`{"path":"shared.txt","old_text":"line %[1]s0\n","new_text":"line %[1]s0 of %[2]s\n"}`, name[len("Good"):], name)
	case kind == "Bad" && step == 0:
		return "write", fmt.Sprintf(`{"path":"%s.txt","content":"bad\n"}`, name)
	case kind == "Over":
		return "bash", `{"command":"echo more >>over.txt"}`
	case kind == "Killed" && step == 0:
		return "bash", `{"command":"echo half >half.txt; (sleep 700 &) ; echo $$ >\"$HOME/pid\"; sleep 700; echo whole >half.txt"}`
	case kind == "Killed":
		if !strings.Contains(last, "signal") {
			c.t.Errorf("the result of the killed command is %q", last)
		}
		return "submit_result", `{"result":{"error":"my command was killed"}}`
	case kind == "Good" || kind == "Bad":
		return "submit_result", done
	}
	return "", ""
}

// TestPiscesEight has eight isolated tasks work at once: four do well, two fail their
// verification, one uses too much, and the command of one is killed. Every event has its
// counterpart, the project is exactly as it should be, and nothing is left of all that.
func TestPiscesEight(t *testing.T) {
	t.Parallel()
	c := &crowd{t: t, asking: map[string]bool{}, all: make(chan struct{})}
	server := httptest.NewServer(c)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	p := eightPlace(t)
	p.Model, p.Env = "openai/m", []string{"OPENAI_API_KEY=" + key, "OPENAI_BASE_URL=" + server.URL + "/v1", "PARLEY_OPENAI_API=chat"}
	want := treeOf(t, p.Work)
	status := []string{"status", "--porcelain", "--", ".", ":!Good*", ":!shared.txt"}
	head := gitSays(t, p, "rev-parse", "HEAD") + gitSays(t, p, status...)

	s := p.pisces(t)
	s.Prompt("go")
	pid := stage.Await(t, firstLine(t, filepath.Join(p.Home, "pid")), "the command that is to be killed")
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	events, _, end := tasks(s)
	balanced(t, events)
	codes := map[string]string{}
	for _, r := range end.Result.Details.Results {
		status := ""
		if r.Verification != nil {
			status = r.Verification.Status
		}
		codes[r.ID] = fmt.Sprintf("%d %v %s %v", r.ExitCode, r.Aborted, status, r.PatchPath != "")
	}
	wantCodes := map[string]string{}
	for i, name := range eight {
		wantCodes[fmt.Sprintf("%d-%s", i, name)] = map[string]string{
			"Good": "0 false passed true", "Bad": "1 false failed true", "Over": "1 true skipped true", "Killed": "1 false skipped true",
		}[strings.TrimRight(name, "0123456789")]
	}
	if diff := cmp.Diff(wantCodes, codes); diff != "" {
		t.Errorf("exit codes, aborted, verified, patches (-want +got):\n%s", diff)
	}
	if text := end.Result.Content[0].Text; !strings.Contains(text, "4/8 succeeded") || !strings.Contains(text, "Applied patches: yes, but for those of the tasks that failed") {
		t.Errorf("the result is %s", text)
	}
	var stats struct {
		ToolCalls int `json:"toolCalls"`
	}
	s.Request("get_session_stats", nil, &stats) // it is at hand
	if stats.ToolCalls != 1 {
		t.Errorf("the session has %d calls of its own", stats.ToolCalls)
	}
	s.Leave()

	for _, n := range []string{"1", "2", "3", "4"} {
		want["Good"+n+".txt"] = "good\n"
		want["shared.txt"] = strings.Replace(want["shared.txt"], "line "+n+"0\n", "line "+n+"0 of Good"+n+"\n", 1)
	}
	if diff := cmp.Diff(want, treeOf(t, p.Work)); diff != "" {
		t.Errorf("the project (-want +got):\n%s", diff)
	}
	if now := gitSays(t, p, "rev-parse", "HEAD") + gitSays(t, p, status...); now != head {
		t.Errorf("git says\n%s, and said\n%s", now, head)
	}
	if left := gitSays(t, p, "branch", "--list", "--all", "--format=%(refname)") + gitSays(t, p, "worktree", "list", "--porcelain"); strings.Count(left, "refs/heads/") != 2 || strings.Count(left, "worktree ") != 1 {
		t.Errorf("branches and worktrees are\n%s", left)
	}
	noCopies(t, p)
	if left := processesIn(p.Home); len(left) > 0 {
		t.Errorf("left are the processes %q", left)
	}
}

// eightPlace returns a repository with something that is not committed.
func eightPlace(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	var shared strings.Builder
	for i := range 60 {
		fmt.Fprintf(&shared, "line %d\n", i)
	}
	p.Write(t, "shared.txt", shared.String())
	p.Write(t, "a.bin", "\x00\x01\xff")
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "First"}} {
		gitSays(t, p, args...)
	}
	p.Write(t, "user.txt", "not committed\n")
	p.Write(t, "shared.txt", shared.String()+"the user's\n")
	if err := os.Mkdir(filepath.Join(p.Work, ".pisces"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.Write(t, ".pisces/settings.json", `{"task": {"isolation": {"mode": "worktree"}, "budget": {"subagent": {"maxToolCalls": 4}}, "verification": {
		"defaultProfile": "ci", "profiles": {"ci": {"mode": "command", "commands": [
			{"name": "look", "command": "ls"}, {"name": "tests", "command": "if grep -q bad *.txt; then echo no; exit 1; fi; echo fine"}]}}}}}`)
	return p
}

// firstLine makes a named pipe and returns the number that is written to it.
func firstLine(t *testing.T, path string) <-chan int {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan int, 1)
	go func() {
		data, _ := os.ReadFile(path)
		if n, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil {
			read <- n
		}
	}()
	return read
}

// balanced holds the events of subagents to what must be: all work at the same time, what begins
// ends, and verifications lie within their subagents.
func balanced(t *testing.T, events []string) {
	t.Helper()
	starts, verified := 0, 0
	ended := map[string]bool{}
	open := map[string]string{} // by name: what is on
	for _, line := range events {
		words := strings.Fields(line)
		switch words[0] {
		case "start":
			starts++
			open[words[1]] = "works"
			if len(ended) > 0 {
				t.Errorf("%s begins when others have ended", words[1])
			}
		case "end":
			if open[words[1]] == "" {
				t.Errorf("%s ends and did not begin, or twice", words[1])
			}
			delete(open, words[1])
			ended[words[1]] = true
		case "verify":
			verified++
		case "verified":
			verified--
		}
	}
	commands := 0
	for _, line := range events {
		switch strings.Fields(line)[0] {
		case "run":
			commands++
		case "ran":
			commands--
		}
		if commands < 0 {
			t.Error("a command ends that did not begin")
		}
	}
	if starts != len(eight) || len(ended) != len(eight) || len(open) > 0 || verified != 0 || commands != 0 {
		t.Errorf("%d began, %d ended, open are %v, %d verifications, and %d commands: %q", starts, len(ended), open, verified, commands, events)
	}
	if n := len(slices.DeleteFunc(slices.Clone(events), func(line string) bool { return line != "verified 1 failed" })); n != 2 {
		t.Errorf("%d verifications have failed: %q", n, events)
	}
	if n := len(slices.DeleteFunc(slices.Clone(events), func(line string) bool { return line != "verified 1 passed" })); n != 4 {
		t.Errorf("%d verifications have passed: %q", n, events)
	}
}

func gitSays(t *testing.T, p *place, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.Work
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.Home, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return string(out)
}

// treeOf returns all files below a folder but git's own, with what they hold.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if entry != nil && entry.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path) // it lies below
		files[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// processesIn returns the commands of processes whose HOME is that folder; none where the system does not list them.
func processesIn(home string) (found []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range all {
		environ, err := os.ReadFile(path)
		if err != nil || !strings.Contains("\x00"+string(environ), "\x00HOME="+home+"\x00") {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline")) // it may be gone
		found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
	}
	return found
}

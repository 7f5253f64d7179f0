package task

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/subagent/definition"
	"parley.dev/parley/internal/subagent/verify"
	"parley.dev/parley/internal/subagent/worktree"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/workspace"
)

// fakes runs a function in place of each subagent, and keeps what is recorded.
type fakes struct {
	act    func(w tool.SubagentTask) tool.SubagentResult
	folder string
	spent  error                     // no subagent begins
	arrive func(w tool.SubagentTask) // called before a subagent begins; nil: nothing is

	mu       sync.Mutex
	reserved int
	events   []string
	shown    []event.TasksProgressed
}

func (f *fakes) Call() event.CallID { return "call" }
func (f *fakes) Folder() string     { return f.folder }

func (f *fakes) Reserve(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reserved += n
	return f.reserved - n
}

func (f *fakes) Show(e event.TasksProgressed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shown = append(f.shown, e)
}

func (f *fakes) Run(ctx context.Context, w tool.SubagentTask) tool.SubagentResult {
	if f.arrive != nil {
		f.arrive(w)
	}
	if err := w.Began("child", "m", func(e event.Event) error {
		if f.spent == nil {
			f.Record(e)
		}
		return f.spent
	}); err != nil {
		return tool.SubagentResult{Reason: event.TurnBudget, Error: err.Error()}
	}
	w.Watch(event.Record{Seq: 1, Time: time.UnixMilli(5), Event: event.ToolIntended{Call: "c", Name: "edit", Input: jsontext.Value(`{"a":1}`)}})
	worked := f.act(w)
	if ctx.Err() != nil {
		return tool.SubagentResult{Reason: event.TurnInterrupted, Error: "The subagent was interrupted."}
	}
	return worked
}

func (f *fakes) Record(e event.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch e := e.(type) {
	case event.SubagentStarted:
		f.events = append(f.events, fmt.Sprintf("start %s %v", e.Task, e.Isolated))
	case event.SubagentEnded:
		f.events = append(f.events, fmt.Sprintf("end %s %d", e.Task, e.ExitCode))
	case event.VerificationStarted:
		f.events = append(f.events, fmt.Sprintf("verify %s %d %s", e.Task, e.Attempt, e.Profile))
	case event.VerificationCommandStarted:
		f.events = append(f.events, "run "+e.Name)
	case event.VerificationCommandEnded:
		f.events = append(f.events, fmt.Sprintf("ran %s %d", e.Result.Name, e.Result.ExitCode))
	case event.VerificationEnded:
		f.events = append(f.events, fmt.Sprintf("verified %s %d %s", e.Task, e.Attempt, e.Status))
	}
}

// handIn returns a subagent that ended well.
func handIn(data string) tool.SubagentResult {
	return tool.SubagentResult{Reason: event.TurnCompleted, Submitted: jsontext.Value(`{"result":{"data":` + data + `}}`), Usage: model.Usage{Input: 10}, Cost: 0.5}
}

// A bench is a repository with a tool for it.
type bench struct {
	dir   string
	env   *tool.Env
	tool  tool.Tool
	fakes *fakes
	root  string
}

func newBench(t *testing.T, act func(w tool.SubagentTask) tool.SubagentResult) *bench {
	t.Helper()
	temp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{dir: filepath.Join(temp, "main"), root: filepath.Join(temp, "copies"), fakes: &fakes{act: act, folder: filepath.Join(temp, "results")}}
	put(t, b.dir, "a.txt", "a\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "First"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = b.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %s", args, out)
		}
	}
	spawner := sandbox.NewSpawner(sandbox.Options{Grace: 200 * time.Millisecond})
	t.Cleanup(spawner.Close)
	w, err := workspace.Open(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + temp}
	b.env = &tool.Env{Workspace: w, Spawner: spawner, Environ: environ, Tasks: &tool.TaskSettings{
		Depth: 2, Spawns: []string{"*"}, Isolation: true, BranchPrefix: "task/",
		Verify: verify.Settings{DefaultProfile: "ci", Retries: 1, Profiles: map[string]jsontext.Value{
			"ci": jsontext.Value(`{"commands":[{"name":"has b","command":"cat b.txt && grep -q good b.txt"}]}`),
		}},
	}}
	b.tool = New(Options{
		Agents: func(string) ([]definition.Definition, string) {
			agents, _ := definition.Find(definition.Places{})
			return agents, "/agents"
		},
		Trees: worktree.New(worktree.Options{Root: b.root, Spawner: spawner, Environ: environ}),
	})
	return b
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) run(ctx context.Context, t *testing.T, input string) tool.Result {
	t.Helper()
	call, err := b.tool.Prepare(b.env, jsontext.Value(input))
	if err != nil {
		t.Fatal(err)
	}
	r := call.Run(ctx, tool.Hooks{Subagents: b.fakes, Sandbox: approval.Sandbox{Kind: approval.SandboxNone}})
	if entries, _ := os.ReadDir(b.root); len(entries) > 1 {
		t.Errorf("copies are left: %v", entries)
	}
	return r
}

// has returns the text of a file of the project; "" if there is none.
func (b *bench) has(name string) string {
	data, _ := os.ReadFile(filepath.Join(b.dir, name))
	return string(data)
}

// TestBeginInOrder holds back the first of three tasks that run side by side: the others wait for it.
func TestBeginInOrder(t *testing.T) {
	b := newBench(t, func(tool.SubagentTask) tool.SubagentResult { return handIn(`"done"`) })
	synctest.Test(t, func(t *testing.T) {
		b.fakes.arrive = func(w tool.SubagentTask) {
			if w.Task == "0-A" {
				synctest.Wait()
			}
		}
		b.run(t.Context(), t, `{"agent":"task","tasks":[{"id":"A","description":"","assignment":"x"},{"id":"B","description":"","assignment":"x"},{"id":"C","description":"","assignment":"x"}]}`)
	})
	starts := slices.DeleteFunc(b.fakes.events, func(line string) bool { return !strings.HasPrefix(line, "start ") })
	if want := []string{"start 0-A false", "start 1-B false", "start 2-C false"}; !slices.Equal(starts, want) {
		t.Errorf("got %q, want %q", starts, want)
	}
}

// TestOfferedSchema checks that isolated and verify are offered only where tasks can be isolated.
func TestOfferedSchema(t *testing.T) {
	restricted := New(Options{}).(tool.Restricted)
	for _, isolation := range []bool{true, false} {
		env := &tool.Env{Tasks: &tool.TaskSettings{Depth: 1, Isolation: isolation}}
		var schema struct {
			Properties map[string]jsontext.Value `json:"properties"`
			Required   []string                  `json:"required"`
		}
		if err := json.Unmarshal(restricted.OfferedSchema(env), &schema, json.RejectUnknownMembers(false)); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"isolated", "verify"} {
			if _, offered := schema.Properties[name]; offered != isolation {
				t.Errorf("isolation %v: %s offered: %v", isolation, name, offered)
			}
		}
		if _, offered := schema.Properties["tasks"]; !offered || !slices.Equal(schema.Required, []string{"agent", "tasks"}) {
			t.Errorf("isolation %v: %v", isolation, schema)
		}
	}
}

// TestDescriptionFits checks that the description names no member of the input and no agent that is
// not offered, and that it names each agent that is.
func TestDescriptionFits(t *testing.T) {
	agents, _ := definition.Find(definition.Places{})
	b := newBench(t, nil)
	for _, spawns := range [][]string{{"*"}, {"explore", "plan"}, nil} {
		b.env.Tasks.Spawns, b.env.Tasks.Isolation = spawns, false
		text := b.tool.Description() + b.tool.(tool.Described).More(b.env)
		var schema struct {
			Properties map[string]struct {
				Items struct {
					Properties map[string]jsontext.Value `json:"properties"`
				} `json:"items"`
			} `json:"properties"`
		}
		offered := b.tool.(tool.Restricted).OfferedSchema(b.env)
		if err := json.Unmarshal(offered, &schema, json.RejectUnknownMembers(false)); err != nil {
			t.Fatal(err)
		}
		var allowed []string
		for _, a := range agents {
			if may(spawns, a.Name) {
				allowed = append(allowed, a.Name)
			}
		}
		var named []string
		for i, word := range strings.Split(text, "`") {
			_, member := schema.Properties[word]
			_, inner := schema.Properties["tasks"].Items.Properties[word]
			switch {
			case i%2 == 0 || member || inner:
			case slices.Contains(allowed, word):
				named = append(named, word)
			default:
				t.Errorf("spawns %q: the description names %q, which is not offered", spawns, word)
			}
		}
		if !slices.Equal(named, allowed) {
			t.Errorf("spawns %q: the description names the agents %q, want %q", spawns, named, allowed)
		}
	}
}

func TestRefusals(t *testing.T) {
	one := `[{"id":"A","description":"d","assignment":"x"}]`
	for _, test := range []struct{ name, input, want string }{
		{"agent", `{"agent":"unknown","tasks":` + one + `}`, `Unknown agent "unknown". Available: designer, explore,`},
		{"no tasks", `{"agent":"task","tasks":[]}`, "Invalid tasks: "},
		{"no id", `{"agent":"task","tasks":[{"id":" ","description":"","assignment":"x"}]}`, "has no id"},
		{"twice", `{"agent":"task","tasks":[{"id":"A","description":"","assignment":"x"},{"id":"a","description":"","assignment":"x"}]}`, "several with the id a"},
		{"long", `{"agent":"task","tasks":[{"id":"` + strings.Repeat("x", 49) + `","description":"","assignment":"x"}]}`, "48 characters"},
		{"no assignment", `{"agent":"task","tasks":[{"id":"A","description":"","assignment":""}]}`, "no assignment"},
		{"verify without isolation", `{"agent":"task","tasks":` + one + `,"verify":true}`, "Verification requires isolated task execution."},
		{"unknown profile", `{"agent":"task","tasks":` + one + `,"isolated":true,"verify":"x"}`, `verification profile "x"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, nil)
			r := b.run(t.Context(), t, test.input)
			if r.IsError || !strings.Contains(r.Text, test.want) || r.Tasks == nil || r.Tasks.Results == nil || len(r.Tasks.Results) != 0 {
				t.Errorf("the result is %q, %+v", r.Text, r.Tasks)
			}
		})
	}
	b := newBench(t, nil)
	b.env.Tasks.Isolation, b.env.Tasks.Spawns = false, []string{"explore", "task"}
	if r := b.run(t.Context(), t, `{"agent":"task","tasks":`+one+`,"isolated":true}`); !strings.Contains(r.Text, "Task isolation is disabled.") {
		t.Errorf("the result is %q", r.Text)
	}
	if r := b.run(t.Context(), t, `{"agent":"plan","tasks":`+one+`}`); r.Text != "Cannot spawn 'plan'. Allowed: explore, task" {
		t.Errorf("the result is %q", r.Text)
	}
}

// TestSideBySide: tasks work at the same time, as many as may; each has its own id, result
// and part of the usage.
func TestSideBySide(t *testing.T) {
	var mu sync.Mutex
	working, most := 0, 0
	both := make(chan struct{})
	b := newBench(t, func(w tool.SubagentTask) tool.SubagentResult {
		mu.Lock()
		working++
		most = max(most, working)
		if working == 2 {
			close(both)
		}
		mu.Unlock()
		<-both
		mu.Lock()
		working--
		mu.Unlock()
		if w.Tasks == nil || w.Tasks.Depth != 1 || w.SubmitTool != "submit_result" {
			t.Errorf("the work is %+v", w)
		}
		return handIn(`"did ` + w.Name + `"`)
	})
	b.env.Tasks.Concurrency = 2
	b.fakes.reserved = 7
	r := b.run(t.Context(), t, `{"agent":"task","context":"All.","tasks":[{"id":"A b","description":"d","assignment":"x"},{"id":"B","description":"d","assignment":"y"}]}`)
	if most != 2 {
		t.Errorf("%d worked at the same time", most)
	}
	if len(r.Tasks.Results) != 2 || r.Tasks.Results[0].ID != "7-A-b" || r.Tasks.Results[1].ID != "8-B" || r.Tasks.ProjectAgents != "/agents" {
		t.Fatalf("results %+v", r.Tasks)
	}
	first := r.Tasks.Results[0]
	if first.Output != "did 7-A-b" || first.Text != "<context>\nAll.\n</context>\n\nx" || first.ExitCode != 0 || first.Source != "bundled" {
		t.Errorf("the result is %+v", first)
	}
	if data, err := os.ReadFile(first.OutputPath); err != nil || string(data) != first.Output {
		t.Errorf("the output's file has %q, %v", data, err)
	}
	if r.Tasks.Usage.Input != 20 || r.Tasks.Cost != 1 {
		t.Errorf("used %+v, %v", r.Tasks.Usage, r.Tasks.Cost)
	}
	if !strings.HasPrefix(r.Text, "<task-summary>\n<header>2/2 succeeded [") || strings.Contains(r.Text, "patches") {
		t.Errorf("the result is %s", r.Text)
	}
	shown := b.fakes.shown
	if len(shown) < 2 || shown[0].Tasks[0].Status != event.TaskPending || shown[len(shown)-1].Tasks[1].Calls != 1 || shown[len(shown)-1].Tasks[1].Status != event.TaskCompleted {
		t.Errorf("shown %+v", shown)
	}
}

// TestIsolated: what is done in copies comes back together, and only what ended well.
func TestIsolated(t *testing.T) {
	b := newBench(t, func(w tool.SubagentTask) tool.SubagentResult {
		name := w.Name[2:]
		put(t, w.Dir, name+".txt", "by "+name+"\n")
		if name == "Bad" {
			return tool.SubagentResult{Reason: event.TurnFailed, Error: "the model is gone"}
		}
		return handIn(`{"ok":true}`)
	})
	put(t, b.dir, "user.txt", "not committed\n")
	r := b.run(t.Context(), t, `{"agent":"task","isolated":true,"tasks":[{"id":"One","description":"","assignment":"x"},{"id":"Two","description":"","assignment":"x"},{"id":"Bad","description":"","assignment":"x"}]}`)
	if b.has("One.txt") != "by One\n" || b.has("Two.txt") != "by Two\n" || b.has("Bad.txt") != "" || b.has("user.txt") != "not committed\n" {
		t.Errorf("the project has %q, %q, %q", b.has("One.txt"), b.has("Two.txt"), b.has("Bad.txt"))
	}
	bad := r.Tasks.Results[2]
	if bad.ExitCode != 1 || bad.Error != "the model is gone" || bad.PatchPath == "" || r.Tasks.Results[0].PatchPath == "" {
		t.Errorf("results %+v", r.Tasks.Results)
	}
	if !strings.Contains(r.Text, "Applied patches: yes, but") || !strings.Contains(r.Text, "2/3 succeeded") {
		t.Errorf("the result is %s", r.Text)
	}
}

// TestConflict: changes that do not fit together are all left to the model.
func TestConflict(t *testing.T) {
	b := newBench(t, func(w tool.SubagentTask) tool.SubagentResult {
		put(t, w.Dir, "a.txt", w.Name+"\n")
		return handIn(`""`)
	})
	r := b.run(t.Context(), t, `{"agent":"task","isolated":true,"tasks":[{"id":"One","description":"","assignment":"x"},{"id":"Two","description":"","assignment":"x"}]}`)
	if b.has("a.txt") != "a\n" || !strings.Contains(r.Text, "<system-notification>Patches were not applied and must be handled manually.</system-notification>") {
		t.Errorf("a.txt is %q, the result is %s", b.has("a.txt"), r.Text)
	}
}

// TestBranches: in place of patches there is a branch for each task.
func TestBranches(t *testing.T) {
	b := newBench(t, func(w tool.SubagentTask) tool.SubagentResult {
		put(t, w.Dir, "b.txt", "b\n")
		return handIn(`""`)
	})
	b.env.Tasks.Branches = true
	r := b.run(t.Context(), t, `{"agent":"task","isolated":true,"tasks":[{"id":"One","description":"Adds b","assignment":"x"}]}`)
	if r.Tasks.Results[0].Branch != "task/0-One" || b.has("b.txt") != "" || !strings.Contains(r.Text, "Branch of 0-One: task/0-One") {
		t.Errorf("results %+v, the text is %s", r.Tasks.Results, r.Text)
	}
	show := exec.Command("git", "show", "task/0-One:b.txt")
	show.Dir = b.dir
	if out, err := show.CombinedOutput(); err != nil || string(out) != "b\n" {
		t.Errorf("the branch has %q, %v", out, err)
	}
}

// TestVerification: changes are applied only if their verification passes, and all events come
// in order.
func TestVerification(t *testing.T) {
	start, fails := "start 0-B true", []string{"verify 0-B 1 ci", "run has b", "ran has b 1", "verified 0-B 1 failed"}
	again := []string{"verify 0-B 2 ci", "run has b", "ran has b 0", "verified 0-B 2 passed"}
	for _, test := range []struct {
		name   string
		verify string
		texts  []string // what each subagent writes
		fails  bool     // the first one
		events []string // between start and end
		status event.VerificationStatus
		merged bool
		patch  bool
	}{
		{"passes", `true`, []string{"good"}, false, []string{"verify 0-B 1 ci", "run has b", "ran has b 0", "verified 0-B 1 passed"}, event.VerificationPassed, true, true},
		{"fails", `"ci"`, []string{"bad"}, false, fails, event.VerificationFailed, false, true},
		{"fails and is discarded", `{"onFailure":"discard_patch"}`, []string{"bad"}, false, fails, event.VerificationFailed, false, false},
		{"repaired", `{"onFailure":"retry_once"}`, []string{"bad", "good"}, false, slices.Concat(fails, again), event.VerificationRetriedPassed, true, true},
		{"repair fails", `{"onFailure":"retry_once"}`, []string{"bad", "worse"}, false, slices.Concat(fails, []string{"verify 0-B 2 ci", "run has b", "ran has b 1", "verified 0-B 2 failed"}), event.VerificationFailed, false, true},
		{"no retries", `{"onFailure":"retry_once","maxRetries":0}`, []string{"bad"}, false, fails, event.VerificationFailed, false, true},
		{"subagent fails", `true`, []string{"good"}, true, nil, event.VerificationSkipped, false, true},
		{"optional", `{"commands":[{"name":"has b","command":"exit 1","optional":true}]}`, []string{"bad"}, false, []string{"verify 0-B 1 ci", "run has b", "ran has b 1", "verified 0-B 1 passed"}, event.VerificationPassed, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := 0
			var prompts []string
			var known *tool.KnownFiles
			b := newBench(t, func(w tool.SubagentTask) tool.SubagentResult {
				put(t, w.Dir, "b.txt", test.texts[n]+"\n")
				prompts = append(prompts, w.Prompt)
				if known == nil {
					known = w.Known
				}
				if known == nil || w.Known != known {
					t.Error("they do not share the files that they know")
				}
				n++
				if test.fails {
					return tool.SubagentResult{Reason: event.TurnCompleted, Submitted: jsontext.Value(`{"result":{"error":"cannot"}}`)}
				}
				return handIn(`"ok"`)
			})
			r := b.run(t.Context(), t, `{"agent":"task","isolated":true,"verify":`+test.verify+`,"tasks":[{"id":"B","description":"","assignment":"Write b."}]}`)
			result := r.Tasks.Results[0]
			code := 1
			if test.merged {
				code = 0
			}
			want := slices.Concat([]string{start}, test.events, []string{fmt.Sprintf("end 0-B %d", code)})
			if !slices.Equal(b.fakes.events, want) {
				t.Errorf("events %q\nwant %q", b.fakes.events, want)
			}
			v := result.Verification
			if v == nil || v.Status != test.status || v.Retries != n-1 || len(v.Attempts) != len(test.events)/4 {
				t.Errorf("verification %+v", v)
			}
			if got := b.has("b.txt") != ""; got != test.merged || result.ExitCode != code || (result.PatchPath != "") != test.patch {
				t.Errorf("b.txt is %q, the result %+v", b.has("b.txt"), result)
			}
			if n == 2 && (!strings.Contains(prompts[1], "Write b.") || !strings.Contains(prompts[1], "has b: `cat b.txt") || !strings.Contains(prompts[1], "\nbad\n")) {
				t.Errorf("the prompt of the repair is %q", prompts[1])
			}
			if test.status == event.VerificationFailed && result.Error != "Verification failed: has b" {
				t.Errorf("the error is %q", result.Error)
			}
		})
	}
}

// TestSpent: when the budget is used up no subagent begins, and the result reports it.
func TestSpent(t *testing.T) {
	b := newBench(t, func(tool.SubagentTask) tool.SubagentResult { return handIn(`1`) })
	b.fakes.spent = errors.New("Budget exceeded (subagents)")
	r := b.run(t.Context(), t, `{"agent":"task","isolated":true,"verify":true,"tasks":[{"id":"A","description":"","assignment":"x"}]}`)
	got := r.Tasks.Results[0]
	if !got.Aborted || !got.Budget || got.ExitCode != 1 || got.Error != "Budget exceeded (subagents)" || got.PatchPath != "" {
		t.Errorf("the result is %+v", got)
	}
	if v := got.Verification; v.Status != event.VerificationSkipped || len(b.fakes.events) != 0 {
		t.Errorf("verified %+v, events %q", v, b.fakes.events)
	}
	if last := b.fakes.shown[len(b.fakes.shown)-1]; last.Tasks[0].Status != event.TaskAborted {
		t.Errorf("shown %+v", last)
	}
}

// TestInterrupted: what was done so far is put aside and not brought back; what had not
// begun never does.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := newBench(t, func(w tool.SubagentTask) tool.SubagentResult {
		put(t, w.Dir, "b.txt", "half\n")
		cancel()
		return handIn(`""`)
	})
	b.env.Tasks.Concurrency = 1
	r := b.run(ctx, t, `{"agent":"task","isolated":true,"verify":true,"tasks":[{"id":"B","description":"","assignment":"x"},{"id":"C","description":"","assignment":"x"}]}`)
	aborted, patches := 0, 0
	for _, result := range r.Tasks.Results {
		if result.Aborted && result.ExitCode == 1 {
			aborted++
		}
		if result.PatchPath != "" {
			patches++
		}
	}
	if aborted != 2 || patches != 1 || b.has("b.txt") != "" || !r.IsError || len(b.fakes.events) != 2 {
		t.Errorf("results %+v, events %q", r.Tasks.Results, b.fakes.events)
	}
}

// TestRequest: the approval of a call covers its verification commands, whether or not the call names them.
func TestRequest(t *testing.T) {
	b := newBench(t, nil)
	tasks := `"agent":"task","isolated":true,"tasks":[{"id":"A","description":"","assignment":"x"}]`
	for _, test := range []struct {
		input   string
		level   approval.Level
		command string
	}{
		{`{` + tasks + `}`, approval.Write, ""},
		{`{` + tasks + `,"verify":"ci"}`, approval.Execute, "cat b.txt && grep -q good b.txt"},
		{`{` + tasks + `,"verify":false}`, approval.Write, ""},
		{`{` + tasks + `,"verify":{"commands":[{"name":"a","command":"rm x"},{"name":"b","command":"ls"}]}}`, approval.Execute, "rm x\nls"},
		{`{"agent":"?","tasks":[]}`, approval.Read, ""},
	} {
		call, err := b.tool.Prepare(b.env, jsontext.Value(test.input))
		if err != nil {
			t.Fatal(err)
		}
		if r := call.Request(); r.Level != test.level || r.Command != test.command || r.AsShell != (test.command != "") {
			t.Errorf("%s needs %+v", test.input, r)
		}
	}
}

// TestShapedResult: what does not fit is handed back three times; then it is the result, and
// the task has failed.
func TestShapedResult(t *testing.T) {
	for _, test := range []struct {
		name  string
		tries []string // data, one after the other
		taken int      // of them, from 0
		code  int
		want  string // part of the error
	}{
		{"fits", []string{`{"n":1}`}, 0, 0, ""},
		{"fits then", []string{`{"n":"x"}`, `{"n":1.5}`, `{"m":1}`, `{"n":1}`}, 3, 0, ""},
		{"never fits", []string{`1`, `2`, `3`, `4`, `5`}, 3, 1, "The result does not fit what was asked for: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			taken := -1
			b := newBench(t, func(w tool.SubagentTask) tool.SubagentResult {
				if !strings.Contains(w.Instructions, `{"properties":{"n":{"type":"int8"}}}`) || w.Reminder == "" {
					t.Errorf("the instructions are %q", w.Instructions)
				}
				for i, data := range test.tries {
					call, err := Submit().Prepare(nil, jsontext.Value(`{"result":{"data":`+data+`}}`))
					if err != nil {
						t.Fatal(err)
					}
					r := call.Run(t.Context(), tool.Hooks{Submit: w.Submit})
					if !r.IsError {
						taken = i
						return handIn(data)
					}
					if r.Final || !strings.HasPrefix(r.Text, "the data does not fit what was asked for: ") {
						t.Errorf("the result is %+v", r)
					}
				}
				return tool.SubagentResult{Reason: event.TurnCompleted}
			})
			r := b.run(t.Context(), t, `{"agent":"task","schema":{"properties":{"n":{"type":"int8"}}},"tasks":[{"id":"A","description":"","assignment":"x"}]}`)
			got := r.Tasks.Results[0]
			if taken != test.taken || got.ExitCode != test.code || !strings.HasPrefix(got.Error, test.want) || got.Error == "" != (test.code == 0) || got.Output == "" {
				t.Errorf("taken %d, the result %+v", taken, got)
			}
		})
	}
}

// TestAgentsOfOthers checks that the description lists the agents that may be called, also those of
// files, and that their output schemas hold.
func TestAgentsOfOthers(t *testing.T) {
	b := newBench(t, func(w tool.SubagentTask) tool.SubagentResult { return handIn(`{"ok":"yes"}`) })
	project := filepath.Join(filepath.Dir(b.dir), "agents")
	put(t, project, "checker.md", "---\nname: checker\ndescription: Checks `x`.\noutput: {properties: {ok: {type: boolean}}}\ntools: read\nmodel: a/b, c\nthinking-level: high\n---\nCheck.\n")
	put(t, project, "odd.md", "---\ndescription: Odd.\noutput: {type: oops}\n---\nOdd.\n")
	b.tool = New(Options{Agents: func(string) ([]definition.Definition, string) {
		agents, _ := definition.Find(definition.Places{Project: []string{project}})
		return agents, project
	}})
	more := b.tool.(tool.Described).More(b.env)
	want := "- `checker`: Checks `x`.\n- `designer`: Builds user interfaces.\n"
	if !strings.HasPrefix(more, "Values of `agent`:\n\n"+want) || !strings.Contains(more, "\n- `odd`: Odd.\n") {
		t.Errorf("described as %q", more)
	}
	b.env.Tasks.Spawns = []string{"explore"}
	if more := b.tool.(tool.Described).More(b.env); more != "Values of `agent`:\n\n- `explore`: Searches a code base; changes nothing.\n" {
		t.Errorf("with one agent, described as %q", more)
	}
	b.env.Tasks.Spawns = nil
	if more := b.tool.(tool.Described).More(b.env); more != "" {
		t.Errorf("without agents, described as %q", more)
	}
	b.env.Tasks.Spawns = []string{"*"}
	r := b.run(t.Context(), t, `{"agent":"checker","tasks":[{"id":"A","description":"","assignment":"x"}]}`)
	if got := r.Tasks.Results[0]; got.ExitCode != 1 || got.Source != "project" || !strings.Contains(got.Error, "does not fit") || got.Model != "m" {
		t.Errorf("the result is %+v", got)
	}
	r = b.run(t.Context(), t, `{"agent":"odd","tasks":[{"id":"A","description":"","assignment":"x"}]}`)
	if r.Text != `Invalid schema: it has the type "oops", which there is not.` || r.IsError {
		t.Errorf("the result is %q", r.Text)
	}
}

func TestSubmit(t *testing.T) {
	for input, text := range map[string]string{
		`{"result":{"data":"plain\ntext"}}`: "plain\ntext",
		`{"result":{"data":{"a":[1]}}}`:     "{\n\t\"a\": [\n\t\t1\n\t]\n}",
		`{"result":{"data":null}}`:          "null",
		`{"result":{}}`:                     "",
		`{"result":{"data":1,"error":"x"}}`: "",
	} {
		_, err := Submit().Prepare(nil, jsontext.Value(input))
		if (err == nil) != (text != "") {
			t.Errorf("%s: %v", input, err)
		}
		if s, err := readSubmission(jsontext.Value(input)); err == nil && s.text() != text {
			t.Errorf("%s is %q", input, s.text())
		}
	}
}

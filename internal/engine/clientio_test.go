package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool"
)

// A fakeEditor is a client with one unsaved text for every file, and with terminals that run nothing.
type fakeEditor struct {
	text string
	hung chan struct{} // not nil: requests close it, and hang

	mu       sync.Mutex
	requests []string // the verb and the name of the file, or the command
}

func (f *fakeEditor) request(ctx context.Context, request string) error {
	f.mu.Lock()
	f.requests = append(f.requests, request)
	f.mu.Unlock()
	if f.hung != nil {
		close(f.hung)
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return nil
}

func (f *fakeEditor) files() ClientFiles {
	return ClientFiles{
		Read: func(ctx context.Context, path string) (string, error) {
			return f.text, f.request(ctx, "read "+filepath.Base(path))
		},
		Write: func(ctx context.Context, path, text string) error {
			err := f.request(ctx, "write "+filepath.Base(path))
			if err == nil {
				f.text = text
			}
			return err
		},
	}
}

func (f *fakeEditor) Create(ctx context.Context, c TerminalCommand) (ClientTerminal, error) {
	return fakeTerminal{f}, f.request(ctx, "run "+c.Args[len(c.Args)-1])
}

type fakeTerminal struct{ *fakeEditor }

func (f fakeTerminal) ID() string { return "t-1" }

func (f fakeTerminal) Wait(context.Context) (TerminalExit, error) { return TerminalExit{Code: 3}, nil }

func (f fakeTerminal) Output(context.Context) (TerminalOutput, error) {
	return TerminalOutput{Text: "out\n"}, nil
}

func (f fakeTerminal) Kill(context.Context) error { return nil }

func (f fakeTerminal) Release(ctx context.Context) error { return f.request(ctx, "release") }

// edited returns a session with a file f, and a client that has another text of it.
func edited(t *testing.T, b *bench, editor *fakeEditor, edit func(*Options, *event.Settings)) (*Session, *Client) {
	t.Helper()
	b.tools["read"], b.tools["write"], b.tools["edit"], b.tools["shell"] = tool.Read(), tool.Write(), tool.Edit(), tool.Shell()
	s := b.session(t, func(o *Options, settings *event.Settings) {
		o.Approvals = ApproveBySandbox{}
		settings.Asking, settings.Sandbox = approval.AskUnlessTrusted, approval.Sandbox{Kind: approval.SandboxWorkspace}
		if edit != nil {
			edit(o, settings)
		}
	})
	if err := os.WriteFile(filepath.Join(s.State().Dir(), "f"), []byte("saved\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := s.Attach(ClientInfo{})
	t.Cleanup(c.Detach)
	if err := errors.Join(c.UseFiles(editor.files()), c.UseTerminals(editor)); err != nil {
		t.Fatal(err)
	}
	return s, c
}

func onDisk(t *testing.T, s *Session) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.State().Dir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestClientFiles: the model reads, the user is shown, and a change is made of, what the client has.
func TestClientFiles(t *testing.T) {
	for _, preview := range []bool{false, true} {
		b := newBench(t, nil,
			call(toolCall("a", "read", `{"path":"f"}`)),
			call(toolCall("b", "edit", `{"path":"f","old":"unsaved","new":"done"}`)), say("ok"))
		editor := &fakeEditor{text: "unsaved\n"}
		s, _ := edited(t, b, editor, func(o *Options, _ *event.Settings) { o.Preview = preview })
		records := turnOf(t, s, "go", answering(t, s, Decision{Allow: true}))
		ended(t, records)
		if got := result(t, records, "a"); !strings.Contains(got.Output, "unsaved") {
			t.Errorf("read %q", got.Output)
		}
		const diff = "-unsaved\n+done\n"
		if asked := find[event.ApprovalAsked](records); len(asked) != 1 || strings.Contains(asked[0].Files[0].Diff, diff) == preview {
			t.Errorf("asked with %+v", asked)
		}
		if proposed := find[event.ChangesProposed](records); preview && !strings.Contains(proposed[0].Changes[0].Diff, diff) {
			t.Errorf("proposed %+v", proposed)
		}
		if got := result(t, records, "b"); got.Outcome != event.Succeeded || !strings.Contains(got.Changes[0].Diff, diff) || got.Changes[0].Before == "" {
			t.Errorf("done %+v", got)
		}
		if editor.text != "done\n" || onDisk(t, s) != "saved\n" {
			t.Errorf("the client has %q, the disk %q", editor.text, onDisk(t, s))
		}
	}
}

// TestClientFilesDenied: a path that is denied by a policy, or is hidden before it is approved, is never sent to the client.
func TestClientFilesDenied(t *testing.T) {
	const outside = "/usr/parley-test" // not in a temporary folder, which is writable
	readOnly := func(o *Options, settings *event.Settings) {
		o.Preview = true
		settings.Asking, settings.Sandbox = approval.AskNever, approval.Sandbox{Kind: approval.SandboxReadOnly}
	}
	for _, test := range []struct {
		name, tool, input string
		edit              func(*Options, *event.Settings)
		want              event.Outcome
	}{
		{"sandbox", "edit", `{"path":"f","old":"saved","new":"x"}`, readOnly, event.Denied},
		{"sandbox, write", "write", `{"path":"new","content":"x"}`, readOnly, event.Denied},
		{"outside", "write", `{"path":"` + outside + `","content":"x"}`, func(o *Options, settings *event.Settings) {
			o.Preview = true
			settings.Asking = approval.AskNever
		}, event.Denied},
		{"rule", "read", `{"path":"f"}`, func(o *Options, settings *event.Settings) {
			o.Approvals, settings.Asking = ApproveByMode{Rules: []approval.Rule{{Verdict: approval.Deny, Tool: "read"}}}, ""
		}, event.Denied},
		{"git's own, not approved", "write", `{"path":".git/config","content":"x"}`, func(o *Options, settings *event.Settings) {
			o.Preview = true
			settings.Asking = approval.AskNever
		}, event.Denied},
		{"invalid", "read", `{"path":"/proc/1/environ"}`, nil, event.Failed},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, nil, call(toolCall("a", test.tool, test.input)), say("ok"))
			editor := &fakeEditor{text: "unsaved saved\n"}
			s, _ := edited(t, b, editor, test.edit)
			records := turnOf(t, s, "go", answering(t, s))
			ended(t, records)
			if got := result(t, records, "a"); got.Outcome != test.want {
				t.Errorf("%s: %s", got.Outcome, got.Output)
			}
			if len(editor.requests) > 0 {
				t.Errorf("requested %v", editor.requests)
			}
		})
	}
}

// TestClientDetached: what a client had is used no longer than it is attached; a request that waits for it ends, and the file is read
// from our own disk.
func TestClientDetached(t *testing.T) {
	b := newBench(t, nil, call(toolCall("a", "read", `{"path":"f"}`)), call(toolCall("b", "read", `{"path":"f"}`)), say("ok"))
	editor := &fakeEditor{text: "unsaved\n", hung: make(chan struct{})}
	s, c := edited(t, b, editor, nil)
	other := s.Attach(ClientInfo{})
	defer other.Detach()
	go func() {
		<-editor.hung
		c.Leave()
	}()
	records := turnOf(t, s, "go", nil)
	ended(t, records)
	for _, id := range []event.CallID{"a", "b"} {
		if got := result(t, records, id); got.Outcome != event.Succeeded || !strings.Contains(got.Output, "1\tsaved") {
			t.Errorf("%s: %s", got.Outcome, got.Output)
		}
	}
	if diff := cmp.Diff([]string{"read f"}, editor.requests); diff != "" {
		t.Error(diff)
	}
	if err := c.UseFiles(editor.files()); err == nil {
		t.Error("files of a client that has left are used")
	}
	if err := c.UseTerminals(editor); err == nil {
		t.Error("terminals of a client that has left are used")
	}
}

// TestClientInterrupted: a turn does not wait for a client that does not answer, also before the call runs.
func TestClientInterrupted(t *testing.T) {
	for name, made := range map[string]string{"read": `{"path":"f"}`, "edit": `{"path":"f","old":"saved","new":"x"}`, "shell": `{"command":"make"}`} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil, call(toolCall("a", name, made)))
			editor := &fakeEditor{hung: make(chan struct{})}
			s, _ := edited(t, b, editor, func(o *Options, settings *event.Settings) {
				o.Preview, settings.Sandbox = true, approval.Sandbox{Kind: approval.SandboxNone}
				settings.Asking = approval.AskNever
			})
			records := follow(t, s)
			if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
				t.Fatal(err)
			}
			<-editor.hung
			s.Interrupt()
			turn := untilEnd(t, records, nil)
			if end := ended(t, turn); end.Reason != event.TurnInterrupted || result(t, turn, "a").Outcome != event.Interrupted {
				t.Errorf("%+v, the call ended %+v", end, result(t, turn, "a"))
			}
			if onDisk(t, s) != "saved\n" {
				t.Errorf("the disk has %q", onDisk(t, s))
			}
		})
	}
}

// TestClientTerminal: followers receive the id of the terminal while the command runs, and the end of the call has it too.
func TestClientTerminal(t *testing.T) {
	b := newBench(t, nil, call(toolCall("a", "shell", `{"command":"make all"}`)), say("ok"))
	editor := &fakeEditor{}
	s, _ := edited(t, b, editor, nil)
	records := s.Log().Follow(t.Context(), s.State().Head+1, event.KindTerminalCreated, event.KindToolOutput)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	turn := untilEnd(t, records, answering(t, s, Decision{Allow: true}))
	ended(t, turn)
	if created := find[event.TerminalCreated](turn); !slices.Equal(created, []event.TerminalCreated{{Call: "a", Terminal: "t-1"}}) {
		t.Errorf("created %+v", created)
	}
	got := result(t, turn, "a")
	if got.Outcome != event.Failed || got.Output != "out\n[exit code 3]" || got.Shell.Terminal != "t-1" || got.Shell.ExitCode != 3 {
		t.Errorf("%+v, %+v", got, got.Shell)
	}
	if output := find[event.ToolOutput](turn); len(output) > 0 {
		t.Errorf("output %v besides the terminal", output)
	}
	if diff := cmp.Diff([]string{"run make all", "release"}, editor.requests); diff != "" {
		t.Error(diff)
	}
}

// TestClientTerminalConfined: a call gets the client's terminals only if its command need not be confined. One that must be runs
// without them, or not at all where the machine cannot confine commands.
func TestClientTerminalConfined(t *testing.T) {
	for _, test := range []struct {
		name string
		edit func(*Options, *event.Settings)
		asks []Decision
		want bool
	}{
		{"approved", nil, []Decision{{Allow: true}}, true},
		{"confined", func(_ *Options, settings *event.Settings) { settings.Asking = approval.AskNever }, nil, false},
		{"full access", func(_ *Options, settings *event.Settings) {
			settings.Asking, settings.Sandbox = approval.AskNever, approval.Sandbox{Kind: approval.SandboxNone}
		}, nil, true},
		{"external sandbox", func(_ *Options, settings *event.Settings) {
			settings.Asking, settings.Sandbox = approval.AskNever, approval.Sandbox{Kind: approval.SandboxExternal}
		}, nil, true},
		{"without sandboxes", func(o *Options, settings *event.Settings) {
			o.Approvals = ApproveByMode{}
			DecideByMode(settings, approval.FullAccess)
		}, nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []bool
			b := newBench(t, nil, call(toolCall("a", "run", `{}`)), call(toolCall("b", "run", `{}`)), say("ok"))
			b.tools["run"] = commandTool{fakeTool{"run", approval.Execute, func(_ context.Context, hooks tool.Hooks, _ string) tool.Result {
				got = append(got, hooks.Terminals != nil)
				return tool.Result{}
			}}}
			s, _ := edited(t, b, &fakeEditor{}, test.edit)
			spawner := sandbox.NewSpawner(sandbox.Options{})
			defer spawner.Close()
			s.mu.Lock()
			s.work.env.Spawner = spawner
			s.mu.Unlock()
			want := []bool{test.want, test.want}
			if test.name == "confined" && !s.work.env.Confines() {
				want = nil
			}
			for i := range test.asks {
				test.asks[i].Remember = true // the second call is granted
			}
			ended(t, turnOf(t, s, "go", answering(t, s, test.asks...)))
			if !slices.Equal(got, want) {
				t.Errorf("terminals: %v", got)
			}
		})
	}
}

// TestSubagentClientFiles: a subagent uses the client's files in the folder of the session, and not in a copy; commands of
// subagents run in processes of ours.
func TestSubagentClientFiles(t *testing.T) {
	for _, copied := range []bool{false, true} {
		var terminals bool
		look := fakeTool{"look", approval.Read, func(_ context.Context, hooks tool.Hooks, _ string) tool.Result {
			terminals = hooks.Terminals != nil
			return tool.Result{Text: "seen"}
		}}
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "f"), []byte("copied\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		var read string
		b := newBench(t, []fakeTool{look, delegate(func(w *tool.SubagentTask) {
			w.SubmitTool = ""
			if copied {
				w.Dir = folder
			}
			w.Watch = func(rec event.Record) {
				if e, ok := rec.Event.(event.ToolEnded); ok && e.Call == "2" {
					read = e.Output
				}
			}
		}, func(tool.SubagentResult) {})},
			call(toolCall("1", "task", `{}`)), call(toolCall("2", "read", `{"path":"f"}`)), call(toolCall("3", "look", `{}`)), say("done"), say("done"))
		s, _ := edited(t, b, &fakeEditor{text: "unsaved\n"}, func(_ *Options, settings *event.Settings) {
			settings.Asking, settings.Sandbox = approval.AskNever, approval.Sandbox{Kind: approval.SandboxNone}
		})
		ended(t, turnOf(t, s, "go", nil))
		want := "unsaved"
		if copied {
			want = "copied"
		}
		if !strings.Contains(read, "1\t"+want) || terminals {
			t.Errorf("read %q, terminals %t", read, terminals)
		}
	}
}

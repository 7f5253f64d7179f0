package engine

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// outsideTemp returns a folder that is in no temporary folder: those are writable by themselves.
func outsideTemp(t *testing.T) string {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(here, "roots-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	dir = resolved(t, dir)
	for _, temp := range tool.TempFolders() {
		if strings.HasPrefix(dir, temp+string(filepath.Separator)) {
			t.Skip("the source is in a temporary folder")
		}
	}
	return dir
}

func rooted(asking approval.Asking, kind approval.SandboxKind, roots ...string) func(*Options, *event.Settings) {
	return func(o *Options, settings *event.Settings) {
		o.Approvals, o.Roots = ApproveBySandbox{}, roots
		settings.Mode, settings.Asking, settings.Sandbox = "", asking, approval.Sandbox{Kind: kind}
	}
}

// TestRoots: files in further folders are those of the workspace: written where it may be, read only where not, by tools and by
// the policies.
func TestRoots(t *testing.T) {
	root, other := outsideTemp(t), outsideTemp(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	write := func(dir string) answerFunc {
		return call(toolCall("a", "write", `{"path":"`+dir+`/made","content":"1"}`))
	}
	for name, test := range map[string]struct {
		edit func(*Options, *event.Settings)
		dir  string
		want event.Outcome
	}{
		"writable":     {rooted(approval.AskNever, approval.SandboxWorkspace, link, root), root, event.Succeeded},
		"another":      {rooted(approval.AskNever, approval.SandboxWorkspace, root), other, event.Denied},
		"read-only":    {rooted(approval.AskNever, approval.SandboxReadOnly, root), root, event.Denied},
		"asked":        {rooted(approval.AskUnlessTrusted, approval.SandboxWorkspace, root), root, event.Denied}, // as in the workspace
		"none":         {rooted(approval.AskNever, approval.SandboxWorkspace), root, event.Denied},
		"by the mode":  {func(o *Options, s *event.Settings) { o.Roots, s.Mode = []string{root}, string(approval.WorkspaceWrite) }, root, event.Succeeded},
		"mode, others": {func(o *Options, s *event.Settings) { o.Roots, s.Mode = []string{root}, string(approval.WorkspaceWrite) }, other, event.Denied},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil, write(test.dir), say("ok"))
			b.tools["write"] = tool.Write()
			s := b.session(t, test.edit)
			if done := find[event.ToolEnded](turnOf(t, s, "go", nil))[0]; done.Outcome != test.want {
				t.Errorf("%+v", done)
			}
			_ = os.Remove(filepath.Join(test.dir, "made"))
			for _, line := range b.store.only().lines {
				var rec event.Record
				if err := rec.UnmarshalJSON(line); err != nil {
					t.Fatal(err)
				}
				switch rec.Event.(type) {
				case event.SessionCreated, event.SessionChanged, event.TurnStarted:
					if bytes.Contains(line, []byte("roots-test-")) {
						t.Errorf("recorded: %s", line)
					}
				}
			}
			if system := b.requests()[0].System; strings.Contains(system, "Further folders") != (s.opts.Roots != nil) || strings.Count(system, root) > 1 {
				t.Errorf("system prompt:\n%s", system)
			}
		})
	}
}

// TestExcludedTemp: files in a temporary folder that the sandbox excludes are outside of it.
func TestExcludedTemp(t *testing.T) {
	dir := resolved(t, t.TempDir())
	for _, excluded := range []bool{false, true} {
		b := newBench(t, nil, call(toolCall("a", "write", `{"path":"`+dir+`/made","content":"1"}`)), say("ok"))
		b.tools["write"] = tool.Write()
		s := b.session(t, func(o *Options, settings *event.Settings) {
			rooted(approval.AskNever, approval.SandboxWorkspace)(o, settings)
			settings.Sandbox.NoTempDir, settings.Sandbox.NoSlashTmp = excluded, excluded
		})
		want := event.Succeeded
		if excluded {
			want = event.Denied
		}
		if done := find[event.ToolEnded](turnOf(t, s, "go", nil))[0]; done.Outcome != want {
			t.Errorf("excluded %t: %+v", excluded, done)
		}
	}
}

// TestRootsOfCommands: commands write there, too, and nowhere else.
func TestRootsOfCommands(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	root, other := outsideTemp(t), outsideTemp(t)
	b := newBench(t, nil)
	s := commanding(t, b, rooted(approval.AskOnRequest, approval.SandboxWorkspace, root))
	if !s.work.env.Confines() {
		t.Skip("nothing can be confined here")
	}
	for dir, works := range map[string]bool{root: true, other: false} {
		if ran := run(t, s, "touch "+dir+"/x"); (ran.Shell.ExitCode == 0) != works {
			t.Errorf("%s: %+v", dir, ran)
		}
	}
	if err := s.host.SetRoots(s, []string{other}); err != nil {
		t.Fatal(err)
	}
	for dir, works := range map[string]bool{root: false, other: true} {
		if ran := run(t, s, "touch "+dir+"/y"); (ran.Shell.ExitCode == 0) != works {
			t.Errorf("replaced, %s: %+v", dir, ran)
		}
	}
}

// TestRootErrors: a folder that cannot be used is named, when a session is made or opened, and later; nothing changes then.
func TestRootErrors(t *testing.T) {
	root := resolved(t, t.TempDir())
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, nil, say("ok"))
	h := b.host()
	o := b.options()
	o.Roots = []string{root}
	s, err := h.Create(t.Context(), NewSession{ID: "s", Workspace: root, Settings: event.Settings{Model: "test"}}, o)
	if err != nil {
		t.Fatal(err)
	}
	ended(t, turnOf(t, s, "go", nil))
	for bad, want := range map[string]error{
		"lib": nil, filepath.Join(root, "gone"): fs.ErrNotExist, file: errNotFolder,
	} {
		err := h.SetRoots(s, []string{root, bad})
		e, ok := errors.AsType[*RootError](err)
		if !ok || e.Root != bad || want != nil && !errors.Is(err, want) || !strings.HasPrefix(err.Error(), "further folder "+bad+": ") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	limited := h.For(Access{Within: filepath.Join(root, "sub")})
	if err := limited.SetRoots(s, []string{root}); !errors.Is(err, ErrOutside) {
		t.Errorf("outside the access: %v", err)
	}
	s.mu.Lock()
	equal(t, "roots", s.work.roots, []string{root})
	s.mu.Unlock()
	closed(t, s)
	o.Roots = []string{filepath.Join(root, "gone")}
	if _, err := h.Open(t.Context(), "s", o); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open: %v", err)
	}
	if _, err := h.Create(t.Context(), NewSession{Workspace: root}, o); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("create: %v", err)
	}
	o.Roots = nil
	again, err := h.Open(t.Context(), "s", o)
	if err != nil {
		t.Fatalf("the failed open has left something: %v", err)
	}
	if len(again.work.roots) > 0 {
		t.Errorf("the roots were stored: %v", again.work.roots)
	}
	closed(t, again)
}

// TestRootsOfSubagents: they have those that the session has when they begin.
func TestRootsOfSubagents(t *testing.T) {
	root := outsideTemp(t)
	b := newBench(t, []fakeTool{delegate(func(*tool.SubagentTask) {}, func(tool.SubagentResult) {})},
		call(toolCall("1", "task", `{}`)), call(toolCall("2", "write", `{"path":"`+root+`/made","content":"1"}`)), say("child"), say("done"))
	b.tools["write"] = tool.Write()
	s := b.session(t, rooted(approval.AskOnRequest, approval.SandboxWorkspace))
	if err := s.host.SetRoots(s, []string{root}); err != nil {
		t.Fatal(err)
	}
	ended(t, turnOf(t, s, "go", nil))
	if _, err := os.Stat(filepath.Join(root, "made")); err != nil {
		t.Error(err)
	}
	_ = s.Wait(context.Background())
}

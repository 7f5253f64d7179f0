package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// A disk is a way to run out of room for the state folder, and to have room again.
type disk struct {
	prepare func(t *testing.T, state string)
	fill    func(t *testing.T, s *client.ScaiFlux, state string)
	free    func(t *testing.T, s *client.ScaiFlux, state string)
	steady  bool // it stays full, whatever the server itself gives back
}

var disks = map[string]disk{
	"limit": {
		prepare: func(*testing.T, string) {},
		fill:    func(t *testing.T, s *client.ScaiFlux, _ string) { limitFiles(t, s, 1) },
		free:    func(t *testing.T, s *client.ScaiFlux, _ string) { limitFiles(t, s, unix.RLIM_INFINITY) },
		steady:  true,
	},
	"small file system": {
		prepare: func(t *testing.T, state string) { stage.MountSmall(t, state) },
		fill:    func(t *testing.T, _ *client.ScaiFlux, state string) { stage.FillSmall(t, state) },
		free:    func(t *testing.T, _ *client.ScaiFlux, state string) { stage.FreeSmall(t, state) },
	},
}

// limitFiles lets the process write no file beyond a size, in bytes.
func limitFiles(t *testing.T, s *client.ScaiFlux, size uint64) {
	t.Helper()
	stage.LimitFiles(t, s.Cmd.Process.Pid, size)
}

// TestFullDisk: without room for the journal the turn fails, once, no call with effects runs, new prompts are refused, and once there is
// room everything is saved and goes on.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for name, d := range disks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			full := make(chan struct{})
			b := newBackend(t, modeltest.OpenAIChat,
				modeltest.Stream(modeltest.Text("Half"), modeltest.Wait(full), modeltest.Text(" and half."),
					modeltest.Call("r", "read_file", `{"path":"a.txt"}`), modeltest.Call("w", "bash", `{"command":"touch effect"}`)),
				modeltest.Stream(modeltest.Text("Later.")), modeltest.Stream(modeltest.Text("Resumed.")))
			p := b.place(t)
			p.Write(t, "a.txt", "alpha\n")
			d.prepare(t, p.State())
			s := p.serve(t)
			s.Prompt("go")
			s.Until("text_delta")
			d.fill(t, s, p.State())
			close(full)
			all := s.Turn()
			if end := all.Last(); end.StopReason != "error" {
				t.Errorf("the turn ended: %s", end.Raw)
			}
			if failures := all.Of("error"); len(failures) != 2 || failures[0].Code != "session_write_failed" || failures[0].TurnID != "" ||
				failures[1].Code != "session_write_failed" || failures[1].TurnID == "" {
				t.Errorf("the controller received %v", failures)
			}
			if _, err := os.Stat(filepath.Join(p.Work, "effect")); err == nil && d.steady {
				t.Error("a call with effects ran without a record of it")
			}
			d.fill(t, s, p.State())
			s.Prompt("refused")
			if e := s.Want("error"); e.Code != "session_write_failed" || e.TurnID != "" {
				t.Errorf("%s", e.Raw)
			}
			s.Slash("version", "") // nothing else was said
			d.free(t, s, p.State())
			s.Prompt("now")
			if got := s.WantCompleted().Text(); got != "Later." {
				t.Errorf("the answer is %q", got)
			}
			if code := s.Exit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			s = p.serve(t, "--resume", "latest")
			s.Prompt("all there?")
			s.WantCompleted()
			conversation := b.chatMessages(t, 2)
			stage.CheckPaired(t, conversation)
			stage.CheckSaid(t, conversation, "go", "Half and half.", "now", "Later.", "all there?")
			s.Exit()
		})
	}
}

// TestNoState: where nothing can be saved the server starts, refuses prompts, and does the
// rest.
func TestNoState(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, state string){
		"read-only folder": func(t *testing.T, state string) { stage.MakeReadOnly(t, state) },
		"a file instead": func(t *testing.T, state string) {
			if err := os.WriteFile(state, []byte("a file\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			spoil(t, p.State())
			s := p.serve(t)
			for range 2 {
				s.Prompt("list the go files")
				if e := s.Want("error"); e.Code != "session_write_failed" || e.TurnID != "" {
					t.Errorf("%s", e.Raw)
				}
			}
			s.Slash("version", "")
			if code := s.Exit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

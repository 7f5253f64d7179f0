package security

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/internal/model/modeltest"
)

// TestCommandsNameNoPrivateFiles: the text of a project's command sends files of the project to the
// model, and none of the user's; what the user types may name any file but the program's own and
// those of a running process.
func TestCommandsNameNoPrivateFiles(t *testing.T) {
	t.Parallel()
	answer := modeltest.Stream(modeltest.Text("Hello."))
	server := modeltest.NewServer(t, answer, answer, answer)
	p := newPlace(t)
	p.Env = append(p.Env, "OPENAI_API_KEY=key", "OPENAI_BASE_URL="+server.URL+"/v1", "PARLEY_MODEL=openai/"+modeltest.Model)
	p.write("work/docs/style.md", "text-of-the-project", 0o644)
	secret := p.write("private", private, 0o600)
	if err := os.Symlink(secret, filepath.Join(p.Work, "docs/link.md")); err != nil {
		t.Fatal(err)
	}
	p.write("work/.pisces/commands/review.md", "Review.\n@"+secret+" @../private @docs/link.md @docs/style.md @"+p.State()+"/own", 0o644)
	s := client.StartPisces(t, p.Place)
	own := p.write("home/state/own", "text-of-the-state", 0o600)
	for _, prompt := range []string{
		`/review`,
		`See @` + secret + ` and @` + own + ` and @/proc/self/maps`,
	} {
		s.Turn(prompt)
	}
	requests := server.Requests()
	if len(requests) != 2 {
		t.Fatalf("%d requests, want 2", len(requests))
	}
	if raw := requests[0].Raw; strings.Contains(raw, private) || !strings.Contains(raw, "text-of-the-project") {
		t.Errorf("the command of the project names files outside of it, or none: %s", raw)
	}
	if raw := requests[1].Raw; !strings.Contains(raw, private) || strings.Contains(raw, "text-of-the-state") || strings.Contains(raw, "r-xp") {
		t.Errorf("the user's words do not name the user's file, or name a private one: %s", raw)
	}
}

// TestSessionFilesOfClients: a client that names what is no session file gets an error, and the
// process goes on.
func TestSessionFilesOfClients(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	pipe, sparse, device := filepath.Join(p.Root, "pipe.jsonl"), filepath.Join(p.Root, "sparse.jsonl"), filepath.Join(p.Root, "zero.jsonl")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(sparse, nil, 0o600), os.Truncate(sparse, 30<<30), os.Symlink("/dev/zero", device)); err != nil {
		t.Fatal(err)
	}
	s := client.StartPisces(t, p.Place)
	for _, path := range []string{pipe, sparse, device} {
		s.Send(map[string]string{"id": "1", "type": "switch_session", "sessionPath": path})
		if answer := s.Until("response"); answer.Success {
			t.Errorf("%s was taken: %s", filepath.Base(path), answer.Raw)
		}
		s.State()
		if e := p.run("pisces", "--mode", "rpc", "--session", path); e.code != 1 || e.stderr == "" {
			t.Errorf("a start with %s ended with %d: %s", filepath.Base(path), e.code, e.stderr)
		}
	}
}

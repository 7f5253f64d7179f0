package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// TestSessionsUnwritten: on a full disk, and where nothing can be written, sessions are listed, found and shown without an index. On a
// full disk they can be removed, which makes room.
func TestSessionsUnwritten(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spoil func(t testing.TB, state string)
		full  bool
	}{
		"full":      {stage.FillSmall, true},
		"read-only": {stage.RemountReadOnly, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("The first answer.")), modeltest.Stream(modeltest.Text("The second answer.")))
			p := b.place(t)
			stage.MountSmall(t, p.State())
			p.run(t, "run", "Say the first.")
			p.run(t, "run", "Say the second.")
			if err := os.RemoveAll(filepath.Join(p.State(), "sessions.index")); err != nil {
				t.Fatal(err)
			}
			test.spoil(t, p.State())
			for range 2 {
				if list := p.run(t, "sessions", "list"); strings.Count(list, "Say the ") != 2 {
					t.Errorf("the sessions are\n%s", list)
				}
			}
			if text := p.run(t, "sessions", "show", "latest"); !strings.Contains(text, "The second answer.") {
				t.Errorf("the latest session is\n%s", text)
			}
			if !test.full {
				return
			}
			if removed := p.run(t, "sessions", "rm", "--older", "1ns"); strings.Count(removed, "\n") != 2 {
				t.Errorf("%q was removed", removed)
			}
			if list := p.run(t, "sessions", "list", "--all"); strings.Contains(list, "Say the ") {
				t.Errorf("after the removal the sessions are\n%s", list)
			}
		})
	}
}

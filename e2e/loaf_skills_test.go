package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/model/modeltest"
)

// TestLoafSkills: the model always gets the names and beginnings of the skills, and in the
// turn whose prompt mentions one its whole text; a queued prompt is no exception.
func TestLoafSkills(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	b := newBackend(t, modeltest.OpenAIChat,
		modeltest.Stream(modeltest.Text("a"), modeltest.Wait(gate)), modeltest.Stream(modeltest.Text("b")), modeltest.Stream(modeltest.Text("c")))
	p := b.place(t)
	folder := filepath.Join(p.Work, ".agents", "skills", "kneading")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	p.Write(t, ".agents/skills/kneading/SKILL.md", "# Kneading\n\nFold the dough twelve times.\n\nAlways use wet hands.\n")
	l := p.loaf(t)
	session := l.Create()
	l.Say(session, "hello")
	l.Result(nil, "session.send", map[string]any{"session_id": session, "text": "now $Kneading, please", "enqueue": true})
	close(gate)
	l.Turn()
	l.Turn()
	l.Say(session, "and without")
	l.Turn()
	l.Leave()
	for n, r := range b.Requests() {
		if !strings.Contains(r.Raw, "kneading") || !strings.Contains(r.Raw, "Fold the dough twelve times.") {
			t.Errorf("request %d does not contain the skill", n)
		}
		if whole := strings.Contains(r.Raw, "Always use wet hands."); whole != (n == 1) {
			t.Errorf("request %d has the whole skill: %v", n, whole)
		}
	}
}

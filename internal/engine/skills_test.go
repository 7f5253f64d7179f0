package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/tool"
)

// skilled returns a session in whose folder there are skills.
func skilled(t *testing.T, b *bench, edit func(*Options)) *Session {
	t.Helper()
	b.tools["skill"] = tool.Skill()
	o := b.options()
	if edit != nil {
		edit(&o)
	}
	s := b.session(t, func(options *Options, _ *event.Settings) { *options = o })
	root := filepath.Join(s.State().Workspace, ".agents", "skills")
	for name, text := range map[string]string{
		"release": "---\ndescription: Publishes a version.\n---\nRun scripts/check.sh first.",
		"review":  "---\ndescription: Reads a change.\n---\nRead it twice.",
	} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name, "SKILL.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.work.env.Skills = func() []skill.Skill {
		found, _ := skill.Find([]string{root})
		return found
	}
	return s
}

// TestSkillsAreOffered: the system prompt has the names and descriptions of skills, and the
// instructions of one that the prompt names, for that turn only.
func TestSkillsAreOffered(t *testing.T) {
	b := newBench(t, nil, say("a"), say("b"), say("c"))
	s := skilled(t, b, nil)
	for _, text := range []string{"go", "use $Release now", "again, for $5 and $unknown"} {
		ended(t, turnOf(t, s, text, nil))
	}
	for i, req := range b.requests() {
		for _, want := range []string{"- release: Publishes a version.", "- review: Reads a change.", "The tool `skill` reads the instructions"} {
			if !strings.Contains(req.System, want) {
				t.Errorf("request %d: no %q in %s", i, want, req.System)
			}
		}
		if got := strings.Contains(req.System, "Run scripts/check.sh first."); got != (i == 1) {
			t.Errorf("request %d has the skill's text: %t", i, got)
		}
		if strings.Contains(req.System, "Read it twice.") {
			t.Errorf("request %d has the text of another skill", i)
		}
	}
}

// TestSkillsAreSwitchedOff: a dialect that offers skills itself gets nothing.
func TestSkillsAreSwitchedOff(t *testing.T) {
	b := newBench(t, nil, say("a"))
	s := skilled(t, b, func(o *Options) { o.Skills = SkillsUnused })
	ended(t, turnOf(t, s, "use $release", nil))
	if system := b.requests()[0].System; strings.Contains(system, "release") {
		t.Error(system)
	}
}

// TestSkillOfASteer: a steer names a skill, too.
func TestSkillOfASteer(t *testing.T) {
	var s *Session
	b := newBench(t, nil, call(toolCall("a", "look", "{}")), say("b"))
	b.tools["look"] = fakeTool{"look", approval.Read, func(context.Context, tool.Hooks, string) tool.Result {
		if err := s.Steer(t.Context(), Prompt{Text: "with $review"}); err != nil {
			t.Error(err)
		}
		return tool.Result{Text: "looked"}
	}}
	s = skilled(t, b, nil)
	ended(t, turnOf(t, s, "go", nil))
	all := b.requests()
	if last := all[len(all)-1]; !strings.Contains(last.System, "Read it twice.") {
		t.Error(last.System)
	}
}

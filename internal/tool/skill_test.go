package tool

import (
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/tool/workspacetest"
)

func TestSkill(t *testing.T) {
	w := workspacetest.New(t, map[string]string{
		"s/deploy/SKILL.md": "---\nname: Deploy\n---\nRun it.\n", "s/deploy/run.sh": "", "s/one/twice/SKILL.md": "1", "s/two/twice/SKILL.md": "2",
		"s/secret/SKILL.md": "---\ndisable-model-invocation: true\n---\nNot by models.\n",
		"s/long/SKILL.md":   "Long.",
	})
	dir := w.Dir() + "/s"
	env := &Env{Workspace: w, Skills: func() []skill.Skill {
		skills, _ := skill.Find([]string{dir})
		return skills
	}}
	run := func(name string) Result {
		t.Helper()
		input, err := json.Marshal(in{"name": name})
		if err != nil {
			t.Fatal(err)
		}
		call, err := Skill().Prepare(env, input)
		if err != nil {
			return Failed(err.Error())
		}
		if r := call.Request(); r.Level != approval.Read || r.Paths != nil || r.Command != "" {
			t.Errorf("%+v", r)
		}
		return call.Run(t.Context(), Hooks{})
	}
	deploy := "---\nname: Deploy\n---\nRun it.\n\nOther files in " + dir + "/deploy:\n- run.sh\n"
	for name, want := range map[string]string{
		"Deploy": deploy, " deploy ": deploy, "$DEPLOY": deploy, dir + "/deploy": deploy, dir + "/deploy/SKILL.md": deploy,
		dir + "/two/twice/": "2\n\nThe skill's folder is " + dir + "/two/twice.\n",
		"twice":             "!several skills have the name twice; give the folder of the one that is meant: " + dir + "/one/twice, " + dir + "/two/twice",
		"other":             `!there is no skill "other"; there are: Deploy, long, twice`,
		"secret":            `!there is no skill "secret"; there are: Deploy, long, twice`,
		dir + "/secret":     `!there is no skill "` + dir + `/secret"; there are: Deploy, long, twice`,
		w.Dir():             `!there is no skill "` + w.Dir() + `"; there are: Deploy, long, twice`,
	} {
		want, wrong := strings.CutPrefix(want, "!")
		if got := run(name); got.Text != want || got.IsError != wrong {
			t.Errorf("%q: %q, want %q", name, got.Text, want)
		}
	}
	workspacetest.Lay(t, dir, map[string]string{"long/SKILL.md": strings.Repeat("é\n", MaxText)})
	long := run("long")
	if long.IsError || len(long.Text) > MaxText || len(long.Full) <= MaxText || !strings.HasSuffix(long.Text, "/long.\n") {
		t.Errorf("%d bytes of %d", len(long.Text), len(long.Full))
	}
	call, err := Skill().Prepare(env, []byte(`{"name":"deploy"}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir + "/deploy/SKILL.md"); err != nil {
		t.Fatal(err)
	}
	if got := call.Run(t.Context(), Hooks{}); !got.IsError || got.Text != "cannot read skill Deploy: no such file or directory" {
		t.Errorf("%+v", got)
	}
	available := func(env *Env) bool { return Skill().(Optional).Available(env) }
	if !available(env) || available(&Env{}) || available(&Env{Skills: func() []skill.Skill { return nil }}) {
		t.Error("it is offered where there are none, or not where there are some")
	}
}

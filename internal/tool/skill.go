package tool

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/tool/output"
	"parley.dev/parley/internal/tool/workspace"
)

//go:embed skill.md
var skillDescription string

const skillSchema = `{
	"type": "object",
	"properties": {
		"name": {"type": "string", "minLength": 1, "description": "The skill's name, or its folder"}
	},
	"required": ["name"],
	"additionalProperties": false
}`

// Skill returns the tool that loads a skill.
func Skill() Tool { return skillTool{} }

// maxNames is how much an error about an unknown skill says of those that there are, in bytes.
const maxNames = 4 << 10

type skillTool struct{}

func (skillTool) Name() string           { return "skill" }
func (skillTool) Description() string    { return skillDescription }
func (skillTool) Schema() jsontext.Value { return jsontext.Value(skillSchema) }
func (skillTool) Available(env *Env) bool {
	return env.Skills != nil && len(skill.Offered(env.Skills())) > 0
}

func (skillTool) Prepare(env *Env, input jsontext.Value) (Call, error) {
	var in struct {
		Name string `json:"name"`
	}
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	var all []skill.Skill
	if env.Skills != nil {
		all = skill.Offered(env.Skills())
	}
	found, err := pickSkill(all, strings.TrimPrefix(strings.TrimSpace(in.Name), "$"))
	if err != nil {
		return nil, err
	}
	return &skillCall{found}, nil
}

// pickSkill finds a skill by its name, in any case, or by its folder or file.
func pickSkill(all []skill.Skill, name string) (skill.Skill, error) {
	var named []skill.Skill
	var folders, names []string
	for _, s := range all {
		if filepath.Clean(name) == s.Dir || filepath.Clean(name) == s.Path() {
			return s, nil
		}
		if strings.EqualFold(s.Name, name) {
			named = append(named, s)
			folders = append(folders, workspace.DisplayName(s.Dir))
		}
		names = append(names, s.Name)
	}
	switch {
	case len(named) == 1:
		return named[0], nil
	case len(named) > 1:
		return skill.Skill{}, fmt.Errorf("several skills have the name %s; give the folder of the one that is meant: %s", name, strings.Join(folders, ", "))
	case len(all) == 0:
		return skill.Skill{}, fmt.Errorf("there is no skill %q: there are none at all", name)
	}
	slices.Sort(names)
	list, _ := output.Clip(strings.Join(slices.Compact(names), ", "), maxNames)
	return skill.Skill{}, fmt.Errorf("there is no skill %q; there are: %s", name, list)
}

type skillCall struct{ skill skill.Skill }

// Request names no path: nothing but the skill's own text and names is shown, and it was
// found where skills are offered from.
func (c *skillCall) Request() approval.Request {
	return approval.Request{Level: approval.Read, Summary: "load the skill " + c.skill.Name}
}

func (c *skillCall) Run(context.Context, Hooks) Result {
	text, err := c.skill.Text()
	if err != nil {
		return Failed("cannot " + err.Error())
	}
	files, more := c.skill.Files()
	var list strings.Builder
	if len(files) > 0 {
		fmt.Fprintf(&list, "\nOther files in %s:\n", workspace.DisplayName(c.skill.Dir))
	} else {
		fmt.Fprintf(&list, "\nThe skill's folder is %s.\n", workspace.DisplayName(c.skill.Dir))
	}
	for _, file := range files {
		list.WriteString("- " + workspace.DisplayName(file) + "\n")
	}
	if more {
		list.WriteString("- … and more\n")
	}
	ending, _ := output.Clip(list.String(), MaxText/2)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	shown, omitted := output.Clip(text, MaxText-len(ending))
	r := Result{Text: shown + ending}
	if omitted > 0 {
		r.Full = []byte(text + ending)
	}
	return r
}

package engine

import (
	"fmt"
	"strings"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/skill"
)

// This file offers skills to models and loads those that prompts name.

// Our own names of tools.
const (
	skillTool = "skill" // loads a skill
	readTool  = "read"  // reads a file
)

// A skillList is what a system prompt says about the skills of a folder.
type skillList struct {
	dir, text string
}

// listedSkills returns the names and descriptions of the skills that there are, for the system
// prompt. It looks for them once for each folder that the session works in.
func (s *Session) listedSkills() string {
	if s.opts.Skills != SkillsListed {
		return ""
	}
	s.mu.Lock()
	env, known, tool := s.work.env, s.work.skills, s.tools.shown(skillTool)
	s.mu.Unlock()
	if env == nil || env.Skills == nil {
		return ""
	}
	if dir := env.Workspace.Dir(); known.dir != dir {
		known = skillList{dir, skill.Catalogue(env.Skills())}
		if known.text != "" && tool != "" {
			known.text += fmt.Sprintf("\nThe tool `%s` reads the instructions of a skill.\n", tool)
		}
		s.mu.Lock()
		s.work.skills = known
		s.mu.Unlock()
	}
	return known.text
}

// withSkills returns a prompt with the instructions of the skills that its text names as $name.
func (s *Session) withSkills(p Prompt) Prompt {
	text := model.Message{Blocks: p.blocks()}.Text()
	if s.opts.Skills == SkillsUnused || !strings.Contains(text, "$") {
		return p
	}
	s.mu.Lock()
	env := s.work.env
	s.mu.Unlock()
	if env == nil || env.Skills == nil {
		return p
	}
	_, more, errs := skill.Instructions(text, env.Skills())
	for _, err := range errs {
		s.host.cfg.Log.Warn("skill not read", "session", s.id, "error", err)
	}
	p.Tuning.Instructions = strings.TrimSpace(p.Tuning.Instructions + "\n\n" + more)
	return p
}

package loaf

import (
	"strings"

	"parley.dev/parley/internal/skill"
)

// skills returns the skills that there are; they are looked for each time.
func (c *conn) skills() SkillsResult {
	result := SkillsResult{Directories: c.cfg.Skills().Roots(), Errors: []string{}, Skills: []Skill{}}
	found, errs := skill.Find(result.Directories)
	result.Errors = append(result.Errors, errs...)
	for _, s := range found {
		result.Skills = append(result.Skills, Skill{s.Name, s.Description, s.Preview, s.Path()})
	}
	return result
}

// mentioned returns the skills that a prompt mentions, with their texts for the model.
func (c *conn) mentioned(prompt string) (names []string, text string) {
	if !strings.Contains(prompt, "$") {
		return nil, "" // nothing can be mentioned: nothing is looked for
	}
	found, _ := skill.Find(c.cfg.Skills().Roots())
	names, text, unread := skill.Instructions(prompt, found)
	for _, err := range unread {
		c.cfg.Log.Warn("skill not read", "error", err)
	}
	return names, text
}

// catalogue returns the part of a system prompt that lists the skills.
func (c *conn) catalogue() string {
	found, _ := skill.Find(c.cfg.Skills().Roots())
	return skill.Catalogue(found)
}

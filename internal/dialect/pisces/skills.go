package pisces

import "parley.dev/parley/internal/skill"

// skills returns the skills that there are; they are looked for each time.
func (c *conn) skills() []skill.Skill {
	found, _ := skill.Find(c.cfg.Skills().Roots())
	return found
}

// skillText returns the instructions of the first skill of that name that can be read.
func (c *conn) skillText(name string) (text string, ok bool) {
	for _, s := range c.skills() {
		if text, err := s.Text(); s.Name == name && err == nil {
			return text, true
		}
	}
	return "", false
}

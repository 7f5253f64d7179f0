package skill

import (
	"slices"
	"sync"
)

// A Choice is which skills a process uses: those of further folders as well, and none that is switched off. The zero Choice is
// all skills of the places. It is safe for concurrent use.
type Choice struct {
	mu    sync.Mutex
	roots []string
	off   []string // names of skills, and paths of their files
}

// SetRoots replaces the further folders, absolute.
func (c *Choice) SetRoots(roots []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.roots = slices.Clone(roots)
}

// Switch switches the skills of that name, or the one whose file has that path, on or off.
func (c *Choice) Switch(key string, on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.off = slices.DeleteFunc(c.off, func(other string) bool { return other == key })
	if !on {
		c.off = append(c.off, key)
	}
}

// Uses reports whether a skill is switched on.
func (c *Choice) Uses(s Skill) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !slices.Contains(c.off, s.Name) && !slices.Contains(c.off, s.Path())
}

// All is Find in the places and the further folders: also the skills that are switched off.
func (c *Choice) All(p Places) (skills []Skill, errs []string) {
	c.mu.Lock()
	p.Paths = slices.Concat(p.Paths, c.roots)
	c.mu.Unlock()
	return Find(p.Roots())
}

// Used returns the skills of All that are switched on.
func (c *Choice) Used(p Places) []Skill {
	skills, _ := c.All(p)
	return slices.DeleteFunc(skills, func(s Skill) bool { return !c.Uses(s) })
}

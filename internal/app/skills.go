package app

import (
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/skill"
)

// SkillPlaces returns where the skills of a session in dir are looked for.
func (a *App) SkillPlaces(dir string) skill.Places {
	places := skill.Places{Dir: dir, Home: config.HomeDir(a.getenv), State: a.Settings.Home}
	for _, path := range a.Settings.SkillsPaths {
		places.Paths = append(places.Paths, config.ExpandHome(path))
	}
	return places
}

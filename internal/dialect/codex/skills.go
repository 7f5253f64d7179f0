package codex

import (
	"context"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains skills. What clients choose of them holds for the process.

func skillMethods() []handler {
	return []handler{
		on("skills/list", (*conn).skillsList, func(p *SkillsListParams) error { return checkFolders("cwds", p.Cwds) }),
		on("skills/extraRoots/set", (*conn).skillsExtraRootsSet, func(p *SkillsExtraRootsSetParams) error { return checkFolders("extraRoots", p.ExtraRoots) }),
		on("skills/config/write", (*conn).skillsConfigWrite, checkSkillsConfigWrite),
	}
}

// checkFolders demands absolute paths.
func checkFolders(member string, paths []string) error {
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			return problem(member, "must be absolute paths")
		}
	}
	return nil
}

// skillsList lists the skills of folders; without one those of the folder of new threads (skills/list). They are looked for
// each time.
func (c *conn) skillsList(_ context.Context, id jsonrpc.ID, p *SkillsListParams) {
	folders := p.Cwds
	if len(folders) == 0 {
		folders = []string{c.cfg.Flags.Cwd}
	}
	answer := SkillsListResponse{}
	for _, dir := range folders {
		answer.Data = append(answer.Data, c.skillsIn(dir))
	}
	c.reply(id, answer)
}

func (c *conn) skillsIn(dir string) SkillsListEntry {
	entry := SkillsListEntry{Cwd: dir}
	if c.cfg.Skills == nil {
		return entry
	}
	places := c.cfg.Places(dir)
	found, errs := c.cfg.Skills.All(places)
	for _, s := range found {
		entry.Skills = append(entry.Skills, SkillMetadata{
			Name: s.Name, Description: s.Description, Path: s.Path(), Scope: scopeOf(s, places), Enabled: c.cfg.Skills.Uses(s),
		})
	}
	for _, text := range errs {
		path, message, found := strings.Cut(text, ": ")
		if !found {
			message = text
		}
		entry.Errors = append(entry.Errors, SkillErrorInfo{Path: path, Message: message})
	}
	return entry
}

// scopeOf returns where a skill comes from: the repository that clients work in, or the user.
func scopeOf(s skill.Skill, p skill.Places) SkillScope {
	own := skill.Places{Dir: p.Dir}
	for _, root := range own.Roots() {
		if strings.HasPrefix(s.Dir, root+string(filepath.Separator)) {
			return SkillScopeRepo
		}
	}
	return SkillScopeUser
}

// skillsExtraRootsSet replaces the further folders of skills (skills/extraRoots/set).
func (c *conn) skillsExtraRootsSet(_ context.Context, id jsonrpc.ID, p *SkillsExtraRootsSetParams) {
	if c.cfg.Skills == nil {
		c.fail(id, "", refused("there are no skills here"))
		return
	}
	c.cfg.Skills.SetRoots(p.ExtraRoots)
	c.reply(id, SkillsExtraRootsSetResponse{})
	c.cfg.Process.announce("skills/changed", SkillsChangedNotification{}, nil)
}

func checkSkillsConfigWrite(p *SkillsConfigWriteParams) error {
	switch {
	case p.Name == "" && p.Path == "":
		return problem("name", "or path must be given")
	case p.Name != "" && p.Path != "":
		return problem("name", "cannot be combined with path")
	case p.Path != "" && !filepath.IsAbs(p.Path):
		return problem("path", "must be an absolute path")
	}
	return nil
}

// skillsConfigWrite switches skills on or off (skills/config/write).
func (c *conn) skillsConfigWrite(_ context.Context, id jsonrpc.ID, p *SkillsConfigWriteParams) {
	if c.cfg.Skills == nil {
		c.fail(id, "", refused("there are no skills here"))
		return
	}
	key := p.Name
	if p.Path != "" {
		key = filepath.Clean(p.Path)
		if filepath.Base(key) != skill.FileName {
			key = filepath.Join(key, skill.FileName)
		}
	}
	c.cfg.Skills.Switch(key, p.Enabled)
	c.reply(id, SkillsConfigWriteResponse{EffectiveEnabled: p.Enabled})
	c.cfg.Process.announce("skills/changed", SkillsChangedNotification{}, nil)
}

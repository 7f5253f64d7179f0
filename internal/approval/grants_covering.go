package approval

import (
	"path/filepath"
	"slices"
	"time"
)

// covering is the search for the grants of one request.
type covering struct {
	grants *Grants
	now    time.Time
	by     []Grant
}

// find takes the first grant of at least that level which matches.
func (c *covering) find(need Level, matches func(kept) bool) bool {
	for _, k := range c.grants.all {
		if k.Level >= need && !k.Expired(c.now) && matches(k) {
			if !slices.ContainsFunc(c.by, func(g Grant) bool { return g.ID == k.ID }) {
				c.by = append(c.by, k.Grant)
			}
			return true
		}
	}
	return false
}

func (c *covering) exact(t Target) bool {
	return c.find(t.level(), func(k kept) bool { return k.Target == t })
}

// exactly says whether r is what was approved before. What it reads needs no grant then, since
// it was part of what was approved: only what is protected does, but for the command's folder.
func (c *covering) exactly(r Request) bool {
	some := false
	for _, part := range []struct {
		there  bool
		target func(Request) (Target, bool)
	}{
		{r.Command != "", exactLine},
		{r.Server != "", exactCall},
		{r.URL != "", func(r Request) (Target, bool) { return Target{Kind: TargetURL, URL: r.URL}, true }},
	} {
		if !part.there {
			continue
		}
		t, ok := part.target(r)
		if !ok || !c.exact(t) {
			return false
		}
		some = true
	}
	for _, p := range r.Paths {
		switch {
		case p.Write:
			t, ok := exactFile(p)
			if !ok || !c.exact(t) {
				return false
			}
			some = true
		case p.Protected && (r.Command == "" || p.Path != r.Dir):
			return false
		}
	}
	return some
}

// widely says whether grants cover all that r does, each part of it and each of its paths.
func (c *covering) widely(r Request) bool {
	named, lineKnown := false, false
	if r.Command != "" {
		if t, ok := exactLine(r); ok && c.exact(t) {
			lineKnown = true
		} else if !c.command(r) {
			return false
		}
		named = true
	}
	if r.Server != "" {
		if t, ok := exactCall(r); (!ok || !c.exact(t)) && !c.tool(r) {
			return false
		}
		named = true
	}
	if r.URL != "" {
		if !c.exact(Target{Kind: TargetURL, URL: r.URL}) && !c.domain(r) {
			return false
		}
		named = true
	}
	if !named && r.Level == Execute {
		return false // it does not say what it does
	}
	for _, p := range r.Paths {
		works := r.Command != "" && !p.Write && p.Path == r.Dir
		if works && lineKnown {
			continue
		}
		if t, ok := exactFile(p); ok && c.exact(t) {
			continue
		}
		need := Read
		switch {
		case works:
			need, p.Recursive = Execute, true
		case p.Write, !named && r.Level == Write && !writes(r): // nobody says which of them it changes
			need = Write
		}
		if !c.path(p, need) {
			return false
		}
	}
	return named || len(r.Paths) > 0
}

func (c *covering) path(p Path, need Level) bool {
	if !filepath.IsAbs(p.Path) || filepath.Clean(p.Path) != p.Path {
		return false // not resolved
	}
	return c.find(need, func(k kept) bool { return k.Target.Kind == TargetPath && k.Target.coversPath(p) })
}

// coversPath compares whole components of two resolved paths.
func (t Target) coversPath(p Path) bool {
	switch {
	case p.Recursive && !t.Recursive:
		return false
	case p.Protected:
		return t.Path == p.Path
	case t.Recursive:
		return below(t.Path, p.Path)
	}
	return t.Path == p.Path || t.Path == filepath.Dir(p.Path)
}

func (c *covering) tool(r Request) bool {
	return r.Tool != "" && c.find(r.Level, func(k kept) bool {
		t := k.Target
		return t.Kind == TargetTool && (t.Server == r.Server && t.Tool == "*" || (t.Server == r.Server || t.Server == "*") && t.Tool == r.Tool)
	})
}

func (c *covering) domain(r Request) bool {
	host, ok := hostOf(r.URL)
	return ok && c.find(r.Level, func(k kept) bool {
		return k.Target.Kind == TargetDomain && coversHost(k.Target.Pattern, host)
	})
}

// command says whether every command of the line is covered, be it by different grants.
func (c *covering) command(r Request) bool {
	if !filepath.IsAbs(r.Dir) {
		return false
	}
	whole := func(k kept) bool {
		// A star in the line is one of the shell's, and stands for names of files.
		return k.Target.Kind == TargetCommand && (k.pattern.any || !k.pattern.open && k.Target.Pattern == r.Command)
	}
	if c.find(Execute, whole) {
		return true
	}
	commands, ok := plainCommands(r.Command)
	if !ok {
		return false
	}
	for _, args := range commands {
		if name := args[0].text; len(commands) > 1 && (shellChangers[name] || shellMovers[name]) {
			return false // what comes behind it would mean something else
		}
		if !c.find(Execute, func(k kept) bool { return k.Target.Kind == TargetCommand && k.pattern.covers(args) }) {
			return false
		}
	}
	return true
}

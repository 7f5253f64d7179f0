package approval

import (
	"path/filepath"
	"slices"
	"time"
)

// A grantSearch is the search for the grants that cover one request.
type grantSearch struct {
	grants *GrantSet
	now    time.Time
	by     []Grant
}

// find adds the first grant that matches and has at least the level need, and reports whether
// there is one.
func (c *grantSearch) find(need Level, matches func(storedGrant) bool) bool {
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

func (c *grantSearch) exact(t Target) bool {
	return c.find(t.level(), func(k storedGrant) bool { return k.Target == t })
}

// coversExactly reports whether r itself was approved before. The paths that it reads need no
// grant then, since they were part of that approval, except for protected paths other than the
// folder of the command.
func (c *grantSearch) coversExactly(r Request) bool {
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

// coversWidely reports whether grants cover each part of r and each of its paths.
func (c *grantSearch) coversWidely(r Request) bool {
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
		return false // the request does not say what it does
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
		case p.Write, !named && r.Level == Write && !writes(r): // it is not known which path it changes
			need = Write
		}
		if !c.path(p, need) {
			return false
		}
	}
	return named || len(r.Paths) > 0
}

func (c *grantSearch) path(p Path, need Level) bool {
	if !filepath.IsAbs(p.Path) || filepath.Clean(p.Path) != p.Path {
		return false // not resolved
	}
	return c.find(need, func(k storedGrant) bool { return k.Target.Kind == TargetPath && k.Target.coversPath(p) })
}

// coversPath reports whether a path target covers p. It compares whole components of resolved paths.
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

func (c *grantSearch) tool(r Request) bool {
	return r.Tool != "" && c.find(r.Level, func(k storedGrant) bool {
		t := k.Target
		return t.Kind == TargetTool && (t.Server == r.Server && t.Tool == "*" || (t.Server == r.Server || t.Server == "*") && t.Tool == r.Tool)
	})
}

func (c *grantSearch) domain(r Request) bool {
	host, ok := hostOf(r.URL)
	return ok && c.find(r.Level, func(k storedGrant) bool {
		return k.Target.Kind == TargetDomain && coversHost(k.Target.Pattern, host)
	})
}

// command reports whether each command of the line is covered, also by different grants.
func (c *grantSearch) command(r Request) bool {
	if !filepath.IsAbs(r.Dir) {
		return false
	}
	whole := func(k storedGrant) bool {
		// A star in the line is one of the shell, and matches names of files.
		return k.Target.Kind == TargetCommand && !k.pattern.open && k.Target.Pattern == r.Command
	}
	if c.find(Execute, func(k storedGrant) bool { return k.pattern.any }) {
		return true
	}
	// What a program does depends on the folder: git and make read settings and commands there, which a model may have written.
	if r.Workspace != "" && r.Dir != r.Workspace && !c.path(Path{Path: r.Dir, Recursive: true}, Execute) {
		return false
	}
	if c.find(Execute, whole) {
		return true
	}
	commands, ok := plainCommands(r.Command)
	if !ok {
		return false
	}
	for _, args := range commands {
		if name := args[0].text; len(commands) > 1 && (stateCommands.get()[name] || cdCommands.get()[name]) {
			return false // it changes the meaning of the commands after it
		}
		if !c.find(Execute, func(k storedGrant) bool { return k.Target.Kind == TargetCommand && k.pattern.covers(args) }) {
			return false
		}
	}
	return true
}

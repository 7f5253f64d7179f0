package agentair

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"parley.dev/parley/internal/approval"
)

// This file contains what grants mean.

var ownLevels = map[PermissionLevel]approval.Level{
	LevelRead: approval.Read, LevelWrite: approval.Write, LevelExecute: approval.Execute, LevelAdmin: approval.Admin,
}

// toolTarget is how a Command target names a call that is no command.
const toolTarget = "tool:"

// toGrant returns a grant of the client's as the engine keeps it. One that could never cover
// anything is refused, in words for the client.
func toGrant(g Grant, now time.Time) (approval.Grant, error) {
	own := approval.Grant{Level: ownLevels[g.Level], Scope: approval.Session, Given: now}
	switch g.Target.Type {
	case GrantPath:
		own.Target = approval.Target{Kind: approval.TargetPath, Path: resolved(g.Target.Path), Recursive: g.Target.Recursive}
	case GrantDomain:
		own.Target = approval.Target{Kind: approval.TargetDomain, Pattern: g.Target.Pattern}
		if own.Level >= approval.Read {
			own.Level = max(own.Level, approval.Execute) // Read is GET here; to the engine all network is Execute
		}
	case GrantCommand:
		own.Target = commandTarget(g.Target.Pattern)
	case GrantTool:
		own.Target = toolOf(g.Target.ToolName)
	}
	if g.ExpiresInSecs != nil {
		own.Expires = now.Add(time.Duration(min(*g.ExpiresInSecs, math.MaxInt64/uint64(time.Second))) * time.Second)
	}
	if err := own.Validate(); err != nil {
		return approval.Grant{}, fmt.Errorf("invalid grant: %w", err)
	}
	return own, nil
}

func commandTarget(pattern string) approval.Target {
	if name, is := strings.CutPrefix(pattern, toolTarget); is {
		return toolOf(name)
	}
	return approval.Target{Kind: approval.TargetCommand, Pattern: pattern}
}

// toolOf returns a tool by the name that models know it by.
func toolOf(name string) approval.Target {
	return approval.Target{Kind: approval.TargetTool, Server: "*", Tool: name}
}

// resolved returns a path as requests have it: clean, with the symlinks of what is there followed.
func resolved(path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	path = filepath.Clean(path)
	missing := ""
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, missing)
		}
		if at == filepath.Dir(at) {
			return path
		}
		missing = filepath.Join(filepath.Base(at), missing)
	}
}

// grantsFor returns what a request needs, as grants for the session. What cannot be granted is
// left out, and requested again.
func grantsFor(r approval.Request) []approval.Grant {
	var grants []approval.Grant
	add := func(level approval.Level, t approval.Target) {
		if g := (approval.Grant{Target: t, Level: level, Scope: approval.Session}); g.Validate() == nil {
			grants = append(grants, g)
		}
	}
	for _, t := range approval.Exactly(r) {
		switch t.Kind {
		case approval.TargetCall:
			add(r.Level, approval.Target{Kind: approval.TargetTool, Server: r.Server, Tool: r.Tool})
		case approval.TargetURL:
			add(r.Level, approval.Target{Kind: approval.TargetDomain, Pattern: hostOf(r.URL)})
		case approval.TargetLine:
			add(approval.Execute, t)
		}
	}
	for _, p := range r.Paths {
		level := approval.Read
		if p.Write {
			level = approval.Write
		}
		add(level, approval.Target{Kind: approval.TargetPath, Path: p.Path, Recursive: p.Recursive})
	}
	return grants
}

package approval

import (
	"fmt"
	"path/filepath"
	"time"
)

// Lasting returns a grant for all sessions of a workspace. The path of a target of type path may be relative to the
// workspace; it has to exist, and its symlinks are resolved. The grant expires after lasts; 0: never. An error is about
// the target.
func Lasting(workspace string, t Target, level Level, lasts time.Duration, now time.Time) (Grant, error) {
	if t.Kind == TargetPath && t.Path != "" {
		path := t.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(workspace, path)
		}
		path, err := filepath.EvalSymlinks(path)
		if err != nil {
			return Grant{}, fmt.Errorf("the path of a grant has to exist: %w", err)
		}
		t.Path = path
	}
	g := Grant{Target: t, Level: level, Scope: Always, Given: now}
	if lasts > 0 {
		g.Expires = now.Add(lasts)
	}
	return g, g.Validate()
}

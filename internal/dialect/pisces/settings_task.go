package pisces

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// branchPrefix begins the names of branches of isolated tasks.
const branchPrefix = "omp/task/"

// tasks returns how subagents work, as the settings say.
func (s *Settings) tasks() *engine.TaskSettings {
	const defaultMerge, noIsolation = "patch", "none"
	return &engine.TaskSettings{
		Concurrency:  int(s.number("task.maxConcurrency", 0, 32)),
		Depth:        int(s.number("task.maxRecursionDepth", 0, 2)),
		Spawns:       []string{"*"},
		Isolation:    s.oneOf("task.isolation.mode", noIsolation, "worktree", "fuse-overlay", "fuse-projfs") != noIsolation,
		Branches:     s.oneOf("task.isolation.merge", defaultMerge, "branch") != defaultMerge,
		BranchPrefix: branchPrefix,
		Verify: engine.VerifySettings{
			Enabled:         setting(s, "task.verification.enabled", false),
			DefaultProfile:  setting(s, "task.verification.defaultProfile", ""),
			RequireIsolated: setting(s, "task.verification.requireForIsolated", false),
			Retries:         int(s.number("task.verification.maxRetries", 0, 1)),
			ContextLines:    int(s.number("task.verification.failureContextLineLimit", 1, 200)),
			Profiles:        s.objects("task.verification.profiles."),
		},
		Folder: func(settings event.Settings) string {
			return sessionfile.Artifacts(sessionfile.Option(settings, sessionfile.OptionFile))
		},
	}
}

// objects returns the objects below a prefix by their names. An object is one file's: the
// members of several files are not put together.
func (s *Settings) objects(prefix string) map[string]jsontext.Value {
	s.mu.Lock()
	defer s.mu.Unlock()
	objects := map[string]jsontext.Value{}
	for _, values := range []map[string]any{s.agent, s.chosen, s.project} {
		found := map[string]map[string]any{}
		for path, value := range values {
			rest, ok := strings.CutPrefix(path, prefix)
			dot := strings.LastIndexByte(rest, '.')
			if !ok || dot < 0 {
				continue
			}
			name := rest[:dot]
			if found[name] == nil {
				found[name] = map[string]any{}
			}
			found[name][rest[dot+1:]] = value
		}
		for name, members := range found {
			object, err := json.Marshal(members, json.Deterministic(true))
			if err != nil {
				s.log.Warn("setting not read", "name", prefix+name, "error", err)
				continue
			}
			objects[name] = object
		}
	}
	return objects
}

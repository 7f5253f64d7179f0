package app

import (
	"cmp"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/engine"
)

// taskSettings returns the settings of subagents as the engine has them; nil: there are no subagents.
func taskSettings(s *config.SubagentSettings) *engine.TaskSettings {
	if s == nil {
		return nil
	}
	return &engine.TaskSettings{
		Concurrency: cmp.Or(s.Concurrency, config.DefaultConcurrency), Depth: cmp.Or(s.Depth, config.DefaultDepth),
		Spawns: []string{"*"}, Isolation: s.Isolation, Branches: s.Branches, BranchPrefix: "task/",
		Verify: engine.VerifySettings{
			Enabled: s.Verification.Required, RequireIsolated: s.Verification.Required, DefaultProfile: s.Verification.DefaultProfile,
			Retries: s.Verification.MaxRetries, Profiles: s.Verification.Profiles,
		},
	}
}

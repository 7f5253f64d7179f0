package drivers

import (
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/acp"
	"parley.dev/parley/internal/backend/codex"
	"parley.dev/parley/internal/backend/pi"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/lazy"
)

// makers have the function that makes a back end, by the name of its kind.
var makers = lazy.Value[map[string]func(Options) backend.Backend]{New: func() map[string]func(Options) backend.Backend {
	return map[string]func(Options) backend.Backend{
		"acp": func(o Options) backend.Backend {
			return acp.New(acp.Options{Name: o.Name, Program: o.Program, Mode: o.Settings.Mode, Version: o.Version, StartLimit: o.StartLimit, Silence: o.Silence})
		},
		"codex": func(o Options) backend.Backend {
			return codex.New(codex.Options{
				Name: o.Name, Program: o.Program, Config: o.Settings.Config, OwnRules: o.Settings.Approvals == config.ApprovalsAgent, Version: o.Version,
				StartLimit: o.StartLimit, Silence: o.Silence,
			})
		},
		"pi": func(o Options) backend.Backend {
			return pi.New(pi.Options{Name: o.Name, Program: o.Program, Folder: o.Folder, StartLimit: o.StartLimit, Silence: o.Silence})
		},
	}
}}

// Options are what the back ends of all kinds are made of.
type Options struct {
	Name     string // in the configuration, such as acp:claude
	Settings config.BackendSettings
	Version  string // of this program
	Folder   string // for files of this program that agents load, absolute
	// Program returns what to start for a session: the configured command, or that of the kind.
	Program func(backend.Opening) (backend.Program, error)
	// StartLimit is how long the agent may take until a session can be used, Silence how long it may say nothing in a turn;
	// 0: the default of the driver.
	StartLimit, Silence time.Duration
}

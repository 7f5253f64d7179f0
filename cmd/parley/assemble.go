package main

import (
	"os"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/config"
)

// newApp assembles the program with the settings of the user.
func newApp() (*app.App, error) {
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return nil, err
	}
	return assemble(settings)
}

func assemble(settings config.Config) (*app.App, error) {
	return app.New(settings, app.Options{Version: version, Credentials: agentCredentials})
}

// agentCredentials are the files and folders below the home folder in which agents whose
// protocols this program speaks, and others of their family, keep keys and sign-ins.
var agentCredentials = []string{
	".scaiflux", ".codex/auth.json", ".loaf/auth.json", ".loaf/secrets-fallback.json", ".pi/agent/auth.json", ".omp/agent/auth.json",
	".omp/agent/agent.db", ".claude/.credentials.json", ".gemini/oauth_creds.json", ".local/share/opencode/auth.json", ".config/opencode/auth.json",
}

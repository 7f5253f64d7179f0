// Package credentials lists where agents keep keys and sign-ins whose protocols this program speaks, and others of their
// family. It opens nothing.
package credentials

// Files returns the files and folders, relative to the home folder of the user.
func Files() []string {
	return []string{
		".scaiflux", ".scaiflux/credentials.json", ".codex/auth.json", ".loaf/auth.json", ".loaf/secrets-fallback.json", ".pi/agent/auth.json", ".omp/agent/auth.json",
		".omp/agent/agent.db", ".claude/.credentials.json", ".gemini/oauth_creds.json", ".local/share/opencode/auth.json", ".config/opencode/auth.json",
	}
}

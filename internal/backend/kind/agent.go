package kind

import (
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/lazy"
)

// An Agent is a program that is known, with where it has its own state. Names are below the home folder, those of a project below
// the folder of the session.
type Agent struct {
	Name  string   // a part of the name of its program or package
	State []string // folders that it writes; a name that ends in .json is a file
	// Startup are the files and folders in its state that it executes, or that name programs, when it starts the next time, also
	// outside of any sandbox. A name that has an extension is a file. Project are those of a project.
	Startup, Project []string
}

// agents are those that are known. What an agent has to write itself to work cannot be among its start-up files: docs/backends.md.
var agents = lazy.Value[[]Agent]{New: func() []Agent {
	return []Agent{
		{
			Name: "codex", State: []string{".codex"},
			Startup: under(".codex", "hooks.json", "hooks", "rules", "plugins", "prompts", "AGENTS.md"),
			Project: under(".codex", "config.toml", "hooks.json", "hooks", "rules"),
		},
		{
			Name: "claude", State: []string{".claude", ".claude.json"},
			Startup: under(".claude", "settings.json", "settings.local.json", "hooks", "agents", "commands", "skills", "plugins", "CLAUDE.md"),
			Project: under(".claude", "settings.json", "settings.local.json", "hooks"),
		},
		{
			Name: "gemini", State: []string{".gemini"},
			Startup: under(".gemini", "settings.json", "extensions", "commands", "GEMINI.md"),
			Project: under(".gemini", "settings.json", "extensions"),
		},
		{
			Name: "opencode", State: []string{".local/share/opencode", ".config/opencode", ".local/state/opencode", ".cache/opencode"},
			Startup: under(".config/opencode", "opencode.json", "opencode.jsonc", "config.json", "plugin", "plugins", "tool", "tools", "agent", "agents", "command", "commands"),
			Project: under(".opencode", "opencode.json", "opencode.jsonc", "plugin", "plugins", "tool", "tools"),
		},
		{
			Name: "pi", State: []string{".pi", ".pi/agent"},
			Startup: under(".pi/agent", "extensions", "npm", "git", "skills", "prompts", "tools", "hooks", "models.json", "AGENTS.md", "SYSTEM.md"),
			Project: under(".pi", "extensions", "npm", "git", "settings.json"),
		},
	}
}}

func under(dir string, names ...string) (paths []string) {
	for _, name := range names {
		paths = append(paths, dir+"/"+name)
	}
	return paths
}

// AgentOf returns the agent that a command of the kind starts. Known is false if it may be any.
func (k Kind) AgentOf(command []string) (a Agent, known bool) {
	for _, a := range agents.Get() {
		if a.Name == k.Name {
			return a, true
		}
	}
	for _, word := range command {
		for part := range strings.SplitSeq(filepath.Base(word), "-") {
			part, _, _ = strings.Cut(part, "@")
			if i := slices.IndexFunc(agents.Get(), func(a Agent) bool { return a.Name == part }); i >= 0 {
				return agents.Get()[i], true
			}
		}
	}
	return Agent{}, false
}

// Agents returns the agents that a command of the kind may start: the one that AgentOf returns, or all.
func (k Kind) Agents(command []string) []Agent {
	if a, known := k.AgentOf(command); known {
		return []Agent{a}
	}
	return agents.Get()
}

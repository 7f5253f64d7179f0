package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/acp"
	"parley.dev/parley/internal/dialect/agentair"
	"parley.dev/parley/internal/dialect/flint"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/lazy"
)

// This file has what the command line of a client of the network needs: who connects may choose it, as it does a request.

// A flagNeed returns what the value of a flag needs.
type flagNeed func(from caller, flags *pflag.FlagSet, value string) []rights.Need

// flagRights is what the flags of the dialects need. A flag without a function needs nothing: what it does is limited
// elsewhere, or a host does not serve it.
var flagRights = lazy.Value[map[string]map[string]flagNeed]{New: func() map[string]map[string]flagNeed {
	return map[string]map[string]flagNeed{
		"native": {"model": nil, "workspace": namedFolder},
		"flint": {
			"model": nil, "workspace": namedFolder, "approval-policy": nil, "state-dir": nil, "shapes": nil,
			"sandbox": sandboxed(flint.ParseSandbox),
		},
		"codex": {
			"config": codexConfig, "listen": nil, "stdio": nil, "enable": nil, "disable": nil, "startup-client-info": nil,
			"analytics-default-enabled": nil, "startup-sign-out": nil, "strict-config": nil, "print-startup-config": nil,
			"ws-auth": nil, "ws-token-file": byUser, "ws-token-sha256": byUser, "ws-shared-secret-file": byUser, "ws-issuer": nil,
			"ws-audience": nil, "ws-max-clock-skew-seconds": nil,
		},
		"loaf": {"events": nil, "workspace": namedFolder, "sandbox": sandboxed(ownSandbox)},
		"agentair": {
			"model": nil, "workspace": namedFolder, "sandbox": sandboxed(ownSandbox), "extended": nil, "round-complete": nil,
			"single-permissions": nil, "resume": nil, "max-rounds": nil,
			"policy": func(_ caller, flags *pflag.FlagSet, value string) []rights.Need {
				if sandbox, _ := flags.GetString("sandbox"); value == string(agentair.AutoApprove) && sandbox == "" {
					return []rights.Need{{Level: rights.User, What: value + " without --sandbox"}}
				}
				return nil
			},
		},
		"acp": {
			"model": nil, "unstable": nil, "v2": nil, "no-client-fs": nil, "no-client-terminal": nil, acp.SignInFlag: nil,
			"mode": func(_ caller, _ *pflag.FlagSet, value string) []rights.Need { return acp.ModeNeeds(value) },
		},
		"scaiflux": {
			"model": nil, "max-tokens": nil, "workspace": namedFolder, "max-iterations": nil,
			"resume": func(_ caller, _ *pflag.FlagSet, value string) []rights.Need {
				return userIf(strings.ContainsAny(value, `/\`), "with a path")
			},
			"permission-mode": func(_ caller, _ *pflag.FlagSet, value string) []rights.Need {
				return userIf(value == string(approval.FullAccess), value)
			},
		},
		"pisces": {
			"mode": nil, "model": nil, "provider": nil, "thinking": nil, "models": nil, "continue": nil, "no-session": nil, "tools": nil,
			"no-tools": nil, "no-rules": nil, "extension": nil, "hook": nil, "no-extensions": nil, "allow-home": nil, "export": nil,
			"list-sessions": nil, "list-models": nil, "version": nil, "help": nil, "api-key": nil,
			"workspace": namedFolder, "sandbox": sandboxed(ownSandbox),
			"session": sessionFile, "resume": sessionFile, "fork": sessionFile,
			"session-dir":   byUser,
			"system-prompt": promptFile, "append-system-prompt": promptFile,
		},
	}
}}

// sharedFlags are those of every dialect: a host does not take its own from a client.
var sharedFlags = []string{"backend", "host", "store", "help"}

// permitted returns why a client must not be served with this command line; nil: it may.
func (s service) permitted(c *rights.Client, from caller) error {
	if c.IsUser() {
		return nil
	}
	if from.dir != "" && !c.Covers(from.dir) {
		return fmt.Errorf("the folder %s is outside of the folder of the token (%s): start the command there, or use a driver's token for the folder or without one", from.dir, from.within)
	}
	if s.flags == nil {
		return nil
	}
	var refusal *rights.Refusal
	s.flags.Visit(func(f *pflag.Flag) {
		need, known := flagRights.Get()[s.dialect][f.Name]
		needs := []rights.Need{{Level: rights.Driver}}
		switch {
		case !known && !slices.Contains(sharedFlags, f.Name):
			needs = userIf(true, "")
		case need != nil:
			needs = append(needs, need(from, s.flags, f.Value.String())...)
		}
		if r := c.Check("--"+f.Name, needs...); r != nil && refusal == nil {
			refusal = r
		}
	})
	if refusal == nil {
		return nil
	}
	return refusal
}

// userIf returns the need of the user, if it is one.
func userIf(needed bool, what string) []rights.Need {
	if !needed {
		return nil
	}
	return []rights.Need{{Level: rights.User, What: what}}
}

// byUser is of flags that name a file wherever it is.
func byUser(caller, *pflag.FlagSet, string) []rights.Need { return userIf(true, "") }

func namedFolder(from caller, _ *pflag.FlagSet, value string) []rights.Need {
	if value == "" {
		return nil
	}
	return []rights.Need{{Path: from.path(value), What: value}}
}

// sandboxed returns what a sandbox needs, given what reads its name.
func sandboxed(parse func(string) (approval.Sandbox, bool)) flagNeed {
	return func(_ caller, _ *pflag.FlagSet, value string) []rights.Need {
		sandbox, ok := parse(value)
		if !ok {
			return nil // the command line is refused for that
		}
		return rights.OfSandbox(sandbox)
	}
}

func ownSandbox(word string) (approval.Sandbox, bool) {
	return approval.Sandbox{Kind: approval.SandboxKind(word)}, true
}

// sessionFile returns what a session needs that is named by its id, or by its file.
func sessionFile(_ caller, _ *pflag.FlagSet, value string) []rights.Need {
	return userIf(sessionfile.IsPath(value), "with a file")
}

// promptFile returns what a text needs that may be the name of a file.
func promptFile(from caller, _ *pflag.FlagSet, value string) []rights.Need {
	var needs []rights.Need
	here, _ := filepath.Abs(value) // without an error the folder of this process is known
	for _, path := range []string{here, from.path(value)} {
		if _, err := os.Lstat(path); err == nil {
			needs = append(needs, rights.OfFile(path))
		}
	}
	return needs
}

// plainConfig are the keys of --config that concern no file and no program.
var plainConfig = []string{"model", "model_provider", "model_reasoning_effort", "model_reasoning_summary", "model_context_window", "web_search", "developer_instructions"}

func codexConfig(_ caller, flags *pflag.FlagSet, _ string) []rights.Need {
	given, err := flags.GetStringArray("config")
	if err != nil {
		return userIf(true, "")
	}
	for _, text := range given {
		key, _, _ := strings.Cut(text, "=")
		if key = strings.TrimSpace(key); !slices.Contains(plainConfig, key) {
			return userIf(true, key)
		}
	}
	return nil
}

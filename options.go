package parley

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model/offline"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/record"
)

// Options are how a Host works. The zero Options are those of the user who runs the program.
type Options struct {
	// Home is the state folder, which has the sessions. It is made if it is not there. "": the user's.
	Home string
	// Model is the model of sessions that name none, such as anthropic/claude-sonnet-5-5. "": the user's default, or
	// offline/demo where no model is configured.
	Model string
	// Mode is the permission mode of sessions that name none. "": the user's default, which is WorkspaceWrite unless it is
	// configured.
	Mode Mode
	// Sandbox is what confines commands: auto, landlock, bubblewrap or off. "": the user's setting, or auto.
	Sandbox string

	// Name is what records call this program as a client of its sessions. "": go.
	Name string
	// Tools are tools of this program, which models can call in every session.
	Tools []Tool

	// Approve decides about a call that needs an approval. Calls of Approve may run at the same time. ctx ends when the
	// decision is not needed any more: the turn was interrupted, or Session.Approve or Session.Deny came first; what Approve
	// returns then is not used. A panic fails the call. nil: such calls are denied, unless Attended is set.
	//
	// Approve must return soon after ctx has ended: Session.Close waits for it. It must not call Session.Close itself.
	Approve func(ctx context.Context, s *Session, asked record.ApprovalAsked) Decision
	// Answer answers questions of the model: for each the chosen labels, or one text; nil declines. The rules for Approve hold
	// for it. nil: models are offered no tool to ask with, unless Attended is set.
	Answer func(ctx context.Context, s *Session, asked record.QuestionAsked) [][]string
	// Attended reports that the program follows its sessions and answers approvals and questions with methods of Session,
	// where Approve and Answer are nil. They wait for an answer then, without a limit of time.
	Attended bool

	// Isolated turns off what is the user's: the environment, the configuration file and stored sign-ins. Home must be set;
	// config.jsonc in it is the configuration file, if it is there. Keys come from Getenv.
	Isolated bool
	// Getenv returns the value of an environment variable: settings (PARLEY_…), and keys of providers. nil: os.Getenv, or,
	// with Isolated, no variable is set. The environment of commands does not depend on it.
	Getenv func(name string) string
	// Script is the text of an offline script, which the model offline/script plays. All sessions of the host play it
	// together. With a script, offline/script is the default model. "": there is no script.
	Script string

	// Logger is for what the user should know, such as a configuration that counts only in part. nil: slog.Default.
	Logger *slog.Logger
}

// A Mode is a permission mode: which calls run without an approval.
type Mode string

// The permission modes, the strictest first.
const (
	ReadOnly       Mode = "read-only"          // calls that read the workspace
	Plan           Mode = "plan"               // as ReadOnly; the model is asked to plan
	WorkspaceWrite Mode = "workspace-write"    // also calls that change files in it
	AskAlways      Mode = "prompt"             // no call
	FullAccess     Mode = "danger-full-access" // every call: commands without a sandbox, the network, files anywhere
)

// A Decision is the answer to an approval. The zero Decision denies.
type Decision struct {
	Allow  bool
	Always bool   // the same needs no approval while the session is open: it is allowed, or denied
	Reason string // of a denial, for the model; "": a general one
}

// check returns what is wrong with the options.
func (o Options) check() error {
	if o.Mode != "" {
		if _, err := approval.ParseMode(string(o.Mode)); err != nil {
			return fmt.Errorf("Options.Mode: %w", err)
		}
	}
	if _, err := sandbox.ParseChoice(o.Sandbox); err != nil {
		return fmt.Errorf("Options.Sandbox: %w", err)
	}
	if o.Isolated && o.Home == "" {
		return errors.New("Options.Home is required with Options.Isolated")
	}
	for i, t := range o.Tools {
		if t.Name == "" || t.Run == nil {
			return fmt.Errorf("Options.Tools[%d]: Name and Run are required", i)
		}
	}
	if err := engine.CheckClientTools((*Session)(nil).tools(o.Tools)); err != nil { // none is called
		return fmt.Errorf("Options.Tools: %w", err)
	}
	return nil
}

// script returns the parsed script; nil: there is none.
func (o Options) script() (*offline.Script, error) {
	if o.Script == "" {
		return nil, nil
	}
	return offline.Parse("Options.Script", []byte(o.Script))
}

// settings returns the settings of the user, changed by the options.
func (o Options) settings(getenv func(string) string) (config.Config, error) {
	settings, err := config.Load(getenv)
	if err != nil {
		return settings, fmt.Errorf("configuration: %w", err)
	}
	switch {
	case o.Model != "":
		settings.Model = o.Model
	case o.Script != "":
		settings.Model = "" // the script is the default then
	}
	settings.PermissionMode = cmp.Or(approval.Mode(o.Mode), settings.PermissionMode)
	settings.Sandbox = cmp.Or(o.Sandbox, settings.Sandbox)
	settings.SecretsInFile = settings.SecretsInFile || o.Isolated
	return settings, nil
}

// environment returns what looks variables up.
func (o Options) environment() (func(string) string, error) {
	getenv, own := o.Getenv, map[string]string{}
	switch {
	case getenv != nil:
	case o.Isolated:
		getenv = func(string) string { return "" }
	default:
		getenv = os.Getenv
	}
	if o.Home != "" {
		home, err := filepath.Abs(o.Home)
		if err != nil {
			return nil, fmt.Errorf("Options.Home: %w", err)
		}
		own["PARLEY_HOME"] = home
		if o.Isolated {
			own["HOME"], own["XDG_CONFIG_HOME"], own["PARLEY_CONFIG"] = home, home, filepath.Join(home, "config.jsonc")
		}
	}
	return func(name string) string {
		if value, ok := own[name]; ok {
			return value
		}
		return getenv(name)
	}, nil
}

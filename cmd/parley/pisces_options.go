package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/pisces"
	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/engine"
)

// piscesOptions is the command line of the original.
type piscesOptions struct {
	flags                   pisces.Flags
	set                     *pflag.FlagSet
	mode                    string
	model, provider, apiKey string
	system, appended        string
	export                  string
	rest                    []string
	args                    []string // all of them
	extensions              []string
	noExtensions            bool
	allowHome, help         bool
	version, listSessions   bool
	listModels              bool
}

// parsePisces reads the command line. What is not known is ignored, as are bare words.
func parsePisces(args []string) (*piscesOptions, error) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "@") {
			return nil, errors.New("Error: @file arguments are not supported in RPC mode")
		}
	}
	o := &piscesOptions{}
	var thinking, models, tools, sandbox string
	var hooks []string
	f := pflag.NewFlagSet("pisces", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.ParseErrorsAllowlist.UnknownFlags = true
	f.StringVar(&o.mode, "mode", "", "rpc: the only one here")
	f.StringVar(&o.model, "model", "", "provider/id, an id, or a part of one; :level behind it sets thinking")
	f.StringVar(&o.provider, "provider", "", "with --model: whose it has to be")
	f.StringVar(&o.apiKey, "api-key", "", "key of the provider, for this run")
	f.StringVar(&thinking, "thinking", "", "minimal, low, medium, high or xhigh")
	f.StringVar(&models, "models", "", "patterns, with commas: what cycle_model goes through")
	f.StringVarP(&o.flags.Session, "resume", "r", "", "the same as --session")
	f.StringVar(&o.flags.Session, "session", "", "a session file, or the beginning of a session's id")
	f.BoolVarP(&o.flags.Continue, "continue", "c", false, "the last session of this folder")
	f.StringVar(&o.flags.Fork, "fork", "", "a copy of that session: file, or the beginning of its id")
	f.StringVar(&o.flags.SessionDir, "session-dir", "", "where session files are")
	f.BoolVar(&o.flags.NoSession, "no-session", false, "nothing of the session is kept")
	f.StringVar(&tools, "tools", "", "names, with commas: the only tools there are")
	f.BoolVar(&o.flags.NoTools, "no-tools", false, "there are no tools")
	f.BoolVar(&o.flags.NoRules, "no-rules", false, "rules are not read")
	f.StringVar(&o.system, "system-prompt", "", "a text, or a file with one, in place of the program's own")
	f.StringVar(&o.appended, "append-system-prompt", "", "a text, or a file with one, behind the system prompt")
	f.StringVar(&sandbox, "sandbox", string(approval.SandboxNone), "what commands may touch: full-access, workspace-write or read-only")
	f.StringArrayVarP(&o.extensions, "extension", "e", nil, "an extension, or a folder with some; may be given more than once")
	f.StringArrayVar(&hooks, "hook", nil, "the same as --extension")
	f.BoolVar(&o.noExtensions, "no-extensions", false, "there are no extensions")
	f.BoolVar(&o.allowHome, "allow-home", false, "work in the home folder itself, if started there")
	f.StringVar(&o.export, "export", "", "write that session as an HTML page, and end; the name of the page may follow")
	f.BoolVar(&o.listSessions, "list-sessions", false, "list sessions, and end")
	f.BoolVar(&o.listModels, "list-models", false, "list models, and end")
	f.BoolVarP(&o.version, "version", "v", false, "print the version, and end")
	f.BoolVarP(&o.help, "help", "h", false, "print this, and end")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	o.set, o.rest, o.args = f, f.Args(), args
	o.extensions = append(o.extensions, hooks...)
	switch level := message.ThinkingLevel(thinking); level {
	case message.ThinkingMinimal, message.ThinkingLow, message.ThinkingMedium, message.ThinkingHigh, message.ThinkingXHigh:
		o.flags.Thinking = level
	}
	o.flags.Models, o.flags.Tools = split(models), split(tools)
	o.flags.Sandbox.Kind = approval.SandboxKind(sandbox)
	if !slices.Contains([]approval.SandboxKind{approval.SandboxNone, approval.SandboxWorkspace, approval.SandboxReadOnly}, o.flags.Sandbox.Kind) {
		return nil, fmt.Errorf("--sandbox %q is none of full-access, workspace-write and read-only", sandbox)
	}
	return o, nil
}

// split is the parts between commas.
func split(text string) []string {
	var parts []string
	for _, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

func (o *piscesOptions) usage() string {
	return "Usage: parley pisces --mode rpc [options]\n\nOptions:\n" + o.set.FlagUsages() + "\nOptions that are not known are ignored.\n"
}

func (o *piscesOptions) badMode() error {
	modes := []string{"text", "json", "rpc", "acp"}
	if o.mode != "" && !slices.Contains(modes, o.mode) {
		return fmt.Errorf("Unknown mode: %s. Valid values: %s", o.mode, strings.Join(modes, ", ")) //nolint:staticcheck // the protocol's words
	}
	return errors.New("this program has no face of its own: start it with --mode rpc, or use parley run")
}

// dir is where the process works: not in the home folder itself, unless that is allowed.
func (o *piscesOptions) dir(home string) string {
	here, err := os.Getwd()
	if err != nil || o.allowHome || home == "" || here != filepath.Clean(home) {
		return ""
	}
	for _, dir := range []string{filepath.Join(home, "tmp"), "/tmp", "/var/tmp"} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}

// readPrompts finds the system prompt and what stands behind it: an option's text, the file
// that it names, or the files that the project or the agent's folder has.
func (o *piscesOptions) readPrompts(flags *pisces.Flags) {
	flags.SystemPrompt = textOrFile(o.system, flags, "SYSTEM.md")
	flags.Append = textOrFile(o.appended, flags, "APPEND_SYSTEM.md")
	if own, err := os.ReadFile(filepath.Join(flags.Agent, "AGENTS.md")); err == nil && len(own) > 0 {
		flags.Append += "\n\n# Instructions of the user\n\n" + string(own)
	}
}

func textOrFile(given string, flags *pisces.Flags, name string) string {
	if given != "" {
		if data, err := os.ReadFile(given); err == nil {
			return string(data)
		}
		return given
	}
	if data, err := dialect.ReadProject(flags.Cwd, filepath.Join(flags.Project, name)); err == nil {
		return string(data)
	}
	if data, err := os.ReadFile(filepath.Join(flags.Agent, name)); err == nil {
		return string(data)
	}
	return ""
}

// chooseModel finds the model of --model. The error is in the words of the original.
func (o *piscesOptions) chooseModel(host *engine.Host, flags *pisces.Flags) error {
	if o.model == "" {
		return nil
	}
	name, level := pisces.FindModel(host, o.model, o.provider)
	switch {
	case name != "":
		flags.Model = name
		if flags.Thinking == "" {
			flags.Thinking = level
		}
		return nil
	case o.provider != "":
		return fmt.Errorf("Model %q not found. Use --list-models to see available models.", o.provider+"/"+o.model) //nolint:staticcheck // the protocol's words
	}
	return fmt.Errorf("Error: Model %q not found", o.model)
}

package serve

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
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/pisces"
	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/regular"
)

// piscesOptions is the command line of the original.
type piscesOptions struct {
	flags                   pisces.Flags
	set                     *pflag.FlagSet
	store                   cli.StoreFlags
	mode                    string
	model, provider, apiKey string
	system, appended        string
	export, workspace       string
	rest                    []string
	args                    []string // all of them
	extensions              []string
	noExtensions            bool
	allowHome, help         bool
	version, listSessions   bool
	listModels              bool
	warnings                []string // about values that are not used
}

// parsePisces reads the command line. What is not known is ignored, as are bare words.
func parsePisces(from caller, args []string) (*piscesOptions, error) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "@") {
			return nil, errors.New("Error: @file arguments are not supported in RPC mode") //nolint:staticcheck // the protocol's words
		}
	}
	o := &piscesOptions{}
	var thinking, models, tools, sandbox string
	var hooks []string
	f := pflag.NewFlagSet("pisces", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.ParseErrorsAllowlist.UnknownFlags = true
	f.StringVar(&o.mode, "mode", "", "must be rpc")
	f.StringVar(&o.model, "model", "", "provider/id, an id, or a part of an id; the suffix :LEVEL sets thinking")
	f.StringVar(&o.provider, "provider", "", "provider of --model")
	f.StringVar(&o.apiKey, "api-key", "", "key of the provider, for this run")
	f.StringVar(&thinking, "thinking", "", "minimal, low, medium, high or xhigh")
	f.StringVar(&models, "models", "", "comma-separated patterns: the models of cycle_model")
	f.StringVarP(&o.flags.Session, "resume", "r", "", "the same as --session")
	f.StringVar(&o.flags.Session, "session", "", "open a session: its file, or the beginning of its id")
	f.BoolVarP(&o.flags.Continue, "continue", "c", false, "continue the last session of this folder")
	f.StringVar(&o.flags.Fork, "fork", "", "open a copy of a session: its file, or the beginning of its id")
	f.StringVar(&o.flags.SessionDir, "session-dir", "", "folder of the session files")
	f.BoolVar(&o.flags.NoSession, "no-session", false, "do not save the session")
	f.StringVar(&tools, "tools", "", "comma-separated names: offer only these tools")
	f.BoolVar(&o.flags.NoTools, "no-tools", false, "offer no tools")
	f.BoolVar(&o.flags.NoRules, "no-rules", false, "do not read rules")
	f.StringVar(&o.system, "system-prompt", "", "replace the system prompt with this text, or with this file")
	f.StringVar(&o.appended, "append-system-prompt", "", "append this text, or this file, to the system prompt")
	f.StringVar(&sandbox, "sandbox", from.sandbox(), "what commands may change (new sessions): full-access, workspace-write or read-only")
	f.StringArrayVarP(&o.extensions, "extension", "e", nil, "an extension, or a folder of extensions; can be repeated")
	f.StringArrayVar(&hooks, "hook", nil, "the same as --extension")
	f.BoolVar(&o.noExtensions, "no-extensions", false, "load no extensions")
	f.BoolVar(&o.allowHome, "allow-home", false, "work in the home folder if started there")
	f.StringVar(&o.export, "export", "", "write a session as an HTML page and exit; the name of the page can follow")
	f.BoolVar(&o.listSessions, "list-sessions", false, "list sessions and exit")
	f.BoolVar(&o.listModels, "list-models", false, "list models and exit")
	f.BoolVarP(&o.version, "version", "v", false, "print the version and exit")
	f.BoolVarP(&o.help, "help", "h", false, "print this help and exit")
	f.StringVarP(&o.workspace, "workspace", "w", "", "folder to work in (default: the current one)")
	addServeFlags(f)
	cli.SetChoices(f, "sandbox", cli.SandboxWords...)
	cli.AcceptSynonyms(f)
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	o.set, o.rest, o.args = f, f.Args(), args
	o.store = cli.StoreFlagsIn(f)
	o.extensions = append(o.extensions, hooks...)
	switch level := message.ThinkingLevel(thinking); level {
	case message.ThinkingMinimal, message.ThinkingLow, message.ThinkingMedium, message.ThinkingHigh, message.ThinkingXHigh:
		o.flags.Thinking = level
	case "":
	default:
		o.warnings = append(o.warnings, fmt.Sprintf("--thinking %q is ignored: it is none of minimal, low, medium, high and xhigh", thinking))
	}
	o.flags.Models = split(models)
	for _, name := range split(tools) {
		if !slices.Contains(pisces.ToolNames(), name) {
			o.warnings = append(o.warnings, fmt.Sprintf("--tools: there is no tool %q; the tools are: %s", name, strings.Join(pisces.ToolNames(), ", ")))
		}
		o.flags.Tools = append(o.flags.Tools, name)
	}
	o.flags.Sandbox.Kind, o.flags.Confine = approval.SandboxKind(sandbox), f.Changed("sandbox")
	if !slices.Contains([]approval.SandboxKind{approval.SandboxNone, approval.SandboxWorkspace, approval.SandboxReadOnly}, o.flags.Sandbox.Kind) {
		return nil, fmt.Errorf("--sandbox %q is none of full-access, workspace-write and read-only", sandbox)
	}
	return o, nil
}

// split returns the parts between commas.
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
	return "Usage: parley pisces --mode rpc [options]\n\nOptions:\n" + o.set.FlagUsages() + "\nUnknown options are ignored.\n"
}

// notServed returns why the command line serves no client; nil: it does.
func (o *piscesOptions) notServed() error {
	if o.mode != "rpc" || o.help || o.version || o.listSessions || o.listModels || o.export != "" {
		return fmt.Errorf("the arguments %q serve no client", o.args)
	}
	return nil
}

func (o *piscesOptions) badMode() error {
	modes := []string{"text", "json", "rpc", "acp"}
	if o.mode != "" && !slices.Contains(modes, o.mode) {
		return fmt.Errorf("Unknown mode: %s. Valid values: %s", o.mode, strings.Join(modes, ", ")) //nolint:staticcheck // the protocol's words
	}
	return errors.New("parley pisces has no user interface: start it with --mode rpc, or use parley run")
}

// dir returns where the process works: not in the home folder itself, unless that is allowed.
func (o *piscesOptions) dir(from caller, home string) string {
	if o.workspace != "" {
		return o.workspace
	}
	here, err := from.dir, error(nil)
	if here == "" {
		here, err = os.Getwd()
	}
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

// readPrompts finds the system prompt and what stands after it: an option's text, the file
// that it names, or the files that the project or the agent's folder has.
func (o *piscesOptions) readPrompts(flags *pisces.Flags) (err error) {
	if flags.SystemPrompt, err = textOrFile(o.system, flags, "SYSTEM.md"); err != nil {
		return fmt.Errorf("--system-prompt: %w", err)
	}
	if flags.Append, err = textOrFile(o.appended, flags, "APPEND_SYSTEM.md"); err != nil {
		return fmt.Errorf("--append-system-prompt: %w", err)
	}
	if own, err := regular.ReadFile(filepath.Join(flags.Agent, "AGENTS.md"), maxPrompt); err == nil && len(own) > 0 {
		flags.Append += "\n\n# Instructions of the user\n\n" + string(own)
	}
	return nil
}

// maxPrompt is the greatest size of a file with instructions, in bytes.
const maxPrompt = 1 << 20

// textOrFile returns the text of an option, that of the file which it names, or that of the file name of the project or the agent's
// folder. A pipe, a device and a file that is too large are errors: an option that names one does not mean its name.
func textOrFile(given string, flags *pisces.Flags, name string) (string, error) {
	if given != "" {
		info, err := os.Stat(given)
		if err != nil || info.IsDir() {
			return given, nil
		}
		data, err := regular.ReadFile(given, maxPrompt)
		return string(data), err
	}
	if data, err := dialect.ReadProject(flags.Cwd, filepath.Join(flags.Project, name)); err == nil {
		return string(data), nil
	}
	if data, err := regular.ReadFile(filepath.Join(flags.Agent, name), maxPrompt); err == nil {
		return string(data), nil
	}
	return "", nil
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
	return fmt.Errorf("Error: Model %q not found", o.model) //nolint:staticcheck // the protocol's words
}

package pisces

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/export/html"
	"parley.dev/parley/internal/model/catalog"
	"parley.dev/parley/internal/model/offline"
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/shell"
)

// serveInProcess returns the command without a process: real tools, journal and files, and the
// offline models only. It ends with code when ctx does.
func serveInProcess(ctx context.Context, code int, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	flags, chosen, err := readFlags(args[1:], dialecttest.Getenv(env))
	if err != nil {
		fmt.Fprintln(stderr, err)
		return dialect.ExitFailed
	}
	home := dialecttest.Getenv(env)("PARLEY_HOME")
	if flags.NoSession {
		temp, err := os.MkdirTemp("", "parley-*")
		if err != nil {
			fmt.Fprintln(stderr, err)
			return dialect.ExitFailed
		}
		defer os.RemoveAll(temp)
		env = append(slices.Clone(env), "PARLEY_HOME="+temp)
	}
	p, err := dialecttest.Open(env, stderr)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return dialect.ExitInternal
	}
	p.Agents = filepath.Join(flags.Project, "agents")
	defer p.Close()
	host := engine.NewHost(p.Config(scripted{dialecttest.NewModels(p.Getenv), p.Getenv("OPENAI_API_KEY") != ""}, func(e *tool.Env) {
		e.Shell = shell.NewState()
	}))
	if chosen.model != "" {
		if flags.Model, flags.Thinking = FindModel(host, chosen.model, chosen.provider); flags.Model == "" {
			fmt.Fprintln(stderr, "no such model")
			return dialect.ExitFailed
		}
		flags.Thinking = cmp.Or(chosen.thinking, flags.Thinking)
	}
	files := SettingsFiles{Agent: flags.Agent, Project: filepath.Join(flags.Cwd, flags.Project), Chosen: filepath.Join(home, "pisces.json")}
	got, err := Serve(context.WithoutCancel(ctx), Config{
		Host: host, In: stdin, Out: stdout, Log: p.Log, Flags: flags, Settings: ReadSettings(files, p.Log), Stop: ctx.Done(),
		Page: func(_ context.Context, w io.Writer, title string, records iter.Seq2[event.Record, error], blob func(string) ([]byte, error)) error {
			return html.Write(w, records, html.Options{Title: title, Version: "0.0.0-test", Blob: blob})
		},
		BaseURL: func(string) string { return "" }, Skills: func() skill.Places { return skill.Places{} },
	})
	if err != nil {
		fmt.Fprintln(stderr, err)
	}
	if got == dialect.ExitOK && ctx.Err() != nil {
		return code
	}
	return got
}

// A choice is what the command line says of the model.
type choice struct {
	model, provider string
	thinking        message.ThinkingLevel
}

// readFlags reads what stands after the name of the program, as far as dialogues use it.
func readFlags(args []string, getenv func(string) string) (Flags, choice, error) {
	f := Flags{Cwd: getenv("PWD"), Home: getenv("HOME"), Project: cmp.Or(getenv("PI_CONFIG_DIR"), ".pisces")}
	f.Agent = cmp.Or(getenv("PI_CODING_AGENT_DIR"), filepath.Join(f.Home, ".pisces", "agent"))
	f.Sessions = filepath.Join(f.Agent, "sessions")
	f.Sandbox.Kind = approval.SandboxNone
	f.ErrorIDs = getenv("PARLEY_RPC_ERROR_IDS") == "1"
	var c choice
	texts := map[string]*string{
		"--model": &c.model, "--provider": &c.provider, "--thinking": (*string)(&c.thinking),
		"--session": &f.Session, "--resume": &f.Session, "--fork": &f.Fork, "--session-dir": &f.SessionDir,
	}
	lists := map[string]*[]string{"--models": &f.Models, "--tools": &f.Tools}
	for len(args) > 0 {
		name, rest := args[0], args[1:]
		switch {
		case strings.HasPrefix(name, "@"):
			return f, c, fmt.Errorf("%s is not for this mode", name)
		case name == "--no-session":
			f.NoSession = true
		case name == "--no-rules":
			f.NoRules = true
		case name == "--continue":
			f.Continue = true
		case name == "--mode":
			if rest[0] != "rpc" {
				return f, c, fmt.Errorf("unknown mode %s", rest[0])
			}
			rest = rest[1:]
		case texts[name] != nil:
			*texts[name], rest = rest[0], rest[1:]
		case lists[name] != nil:
			*lists[name], rest = strings.Split(rest[0], ","), rest[1:]
		}
		args = rest
	}
	return f, c, nil
}

// scripted is the offline models, and those of openai when there is a key, which answer from
// the script, if there is one.
type scripted struct {
	dialecttest.Models
	key bool
}

func (s scripted) Names() []string {
	names := s.Models.Names()
	if s.key {
		for id := range catalog.IDs("openai") {
			names = append(names, "openai/"+id)
		}
	}
	return names
}

func (s scripted) Discover(context.Context) []engine.Offer {
	return dialecttest.Offers(s, s.Names()...)
}

func (s scripted) Resolve(name string) (engine.Model, error) {
	name = cmp.Or(name, s.Default())
	if provider, id, _ := strings.Cut(name, "/"); provider == "openai" && s.key {
		m := engine.Model{Info: catalog.Lookup(provider, id), Provider: offline.Demo()}
		if player, err := s.Script(); err == nil {
			m.Provider = player
		}
		return m, nil
	}
	return s.Models.Resolve(name)
}

// watched serves in process, and holds what each process says to the rules of order.
type watched struct {
	t    dialecttest.Tester
	code int  // of a process that is asked to end
	fits bool // the lines are held to the schema, too
}

func (w watched) serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	serve := func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
		return serveInProcess(ctx, w.code, args, stdin, stdout, stderr, env)
	}
	c := newChecker()
	c.foreign = slices.ContainsFunc(args, func(arg string) bool { return strings.HasSuffix(arg, ".jsonl") })
	if slices.ContainsFunc(args, func(arg string) bool {
		return arg == "--session" || arg == "--continue" || arg == "--fork" || arg == "--resume"
	}) {
		c.done = -1
	}
	held := &fit{t: w.t}
	sent, said := c.received, c.line
	if w.fits {
		sent = func(line []byte) { c.received(line); held.sent(line) }
		said = func(line []byte) { c.line(line); held.said(line) }
	}
	return dialecttest.Tapped(serve, sent, said, func(rest string) {
		c.end(ctx.Err() != nil)
		if rest != "" {
			c.fault("the last line has no end: %s", rest)
		}
		dialecttest.Report(w.t, env, append(c.problems, held.problems...))
	})(ctx, args, stdin, stdout, stderr, env)
}

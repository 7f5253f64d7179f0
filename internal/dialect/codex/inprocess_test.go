package codex

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval/grantfile"
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/tool"
)

// serveInProcess returns the app-server command without a process: real tools, tool servers, sandbox and journal, and the
// offline models only.
func serveInProcess(ctx context.Context, _ []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	p, err := dialecttest.Open(env, stderr)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return dialect.ExitFailed
	}
	defer p.Close()
	config := configOf(p)
	code := Serve(context.WithoutCancel(ctx), withStreams(config, stdin, stdout, ctx.Done()))
	if err := config.Host.Close(context.WithoutCancel(ctx)); err != nil {
		fmt.Fprintln(stderr, err)
	}
	return code
}

// withStreams returns the configuration of one connection.
func withStreams(c Config, stdin io.Reader, stdout io.Writer, stop <-chan struct{}) Config {
	c.In, c.Out, c.Stop = stdin, stdout, stop
	return c
}

// configOf returns the configuration of all connections of a process, with a host of its own.
func configOf(p *dialecttest.Process) Config {
	parts := partsOf(p)
	config := p.Config(dialecttest.NewModels(p.Getenv), func(e *tool.Env) {
		e.PrivateNetwork = true
		e.Skills = func() []skill.Skill { return parts.Skills.Used(parts.Places(e.Workspace.Dir())) }
	})
	config.Sharing, config.Grants = Sharing(), grantfile.New(grantfile.Options{Folder: p.Getenv("PARLEY_HOME")})
	flags := DefaultFlags()
	flags.Cwd = p.Getenv("PWD")
	return Config{
		Host: engine.NewHost(config), Process: NewProcess(), Log: p.Log, Version: "0.0.0-test", Home: p.Getenv("PARLEY_HOME"), Flags: flags, Parts: parts,
	}
}

// partsOf returns what clients see of the program around sessions, in a home folder of the test.
func partsOf(p *dialecttest.Process) Parts {
	return Parts{
		Servers: func(string) []engine.Server { return p.Servers() }, Pool: pool{p},
		Keys: &keys{}, Skills: &skill.Choice{}, UserFile: filepath.Join(p.Getenv("HOME"), ".config/parley/config.jsonc"),
		Places: func(dir string) skill.Places {
			return skill.Places{Dir: dir, Home: p.Getenv("HOME"), State: p.Getenv("PARLEY_HOME")}
		},
	}
}

// keys stores a key in memory.
type keys struct{ key string }

func (k *keys) Stored() bool  { return k.key != "" }
func (k *keys) Delete() error { k.key = ""; return nil }
func (k *keys) Set(key string) error {
	if key == "" || strings.Contains(key, " ") {
		return errors.New("this is no API key: one has 1 to 4096 letters, digits and signs, and no space")
	}
	k.key = key
	return nil
}

// pool starts tool servers of the test.
type pool struct{ p *dialecttest.Process }

func (p pool) Tools(ctx context.Context, s engine.Server, dir string) (r ServerReport, err error) {
	report, err := p.p.Pool().Test(ctx, s, dir)
	r.Name, r.Version = report.Name, report.Version
	for _, t := range report.Tools {
		_, name := t.Origin()
		r.Tools = append(r.Tools, engine.ToolInfo{Name: name, Description: t.Description(), Schema: t.Schema()})
	}
	return r, err
}

func (p pool) Call(ctx context.Context, s engine.Server, dir, tool string, input jsontext.Value) (ServerReply, error) {
	result, err := p.p.Pool().Call(ctx, s, dir, tool, input)
	return ServerReply{Content: result.Reply, Text: result.Text, IsError: result.IsError}, err
}

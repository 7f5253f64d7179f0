package native

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"iter"
	"time"

	"parley.dev/parley/internal/approval/grantfile"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/export/html"
	"parley.dev/parley/internal/export/markdown"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/shell"
)

// scripted is the offline models, of which the script is the default.
type scripted struct{ dialecttest.Models }

func (s scripted) Default() string { return "offline/script" }

func (s scripted) Resolve(name string) (engine.Model, error) {
	return s.Models.Resolve(cmp.Or(name, s.Default()))
}

// exportForms are the forms of exports, but pi, which needs the package of another dialect.
var exportForms = map[string]func(io.Writer, iter.Seq2[event.Record, error]) error{
	"md": markdown.Write,
	"html": func(w io.Writer, records iter.Seq2[event.Record, error]) error {
		return html.Write(w, records, html.Options{})
	},
	"json": func(w io.Writer, records iter.Seq2[event.Record, error]) error {
		for rec, err := range records {
			if err != nil {
				return err
			}
			line, err := rec.AppendJSON(nil)
			if err != nil {
				return err
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		return nil
	},
}

// serveInProcess is the command rpc without a process: real tools and journal, and the offline models only.
func serveInProcess(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	getenv := dialecttest.Getenv(env)
	set := flag.NewFlagSet("rpc", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	role := set.String("role", string(Owner), "")
	if err := set.Parse(args[1:]); err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	p, err := dialecttest.Open(env, stderr)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return dialect.ExitInternal
	}
	defer p.Close()
	parts := p.Config(scripted{dialecttest.NewModels(getenv)}, func(e *tool.Env) { e.Shell = shell.NewState() })
	parts.Grants = grantfile.New(grantfile.Options{Folder: getenv("PARLEY_HOME")})
	host := engine.NewHost(parts)
	return Serve(context.WithoutCancel(ctx), &Config{
		Export: func(ctx context.Context, w io.Writer, id event.SessionID, format string) error {
			return exportForms[format](w, host.Read(ctx, id))
		},
		Host: host, Info: HostInfo{ID: "h-test", Name: "test", Version: "0.0.0-test", Started: time.Now().UTC()}, Role: Role(*role),
		In: stdin, Out: stdout, Log: p.Log, Cwd: getenv("PWD"), Settings: event.Settings{Mode: "workspace-write"}, Stop: ctx.Done(),
		Servers: config.ClientServers,
		Profile: func(name string) (engine.Options, bool) {
			var toolset []engine.Binding
			for _, tool := range []string{"read", "write", "edit", "shell", "ask", "plan"} {
				toolset = append(toolset, engine.Binding{Name: tool, Tool: tool})
			}
			return Options(toolset), name == DefaultProfile
		},
	})
}

package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/program"
	"parley.dev/parley/internal/provider"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool/shell"
)

// errUnhealthy: something that parley cannot do without is missing or broken.
var errUnhealthy = errors.New("a required check failed")

// Command returns the command doctor of a program.
func Command(p cli.Persona) *cobra.Command {
	var asJSON bool
	var name, backend string
	timeout := defaultCheckTimeout
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check the configuration and this machine", Args: cli.ExactArgs(),
		Long: `Check the configuration, the state folder, the store and the host, the programs that tools use, the providers, the back ends,
the hooks, the trusted folders and the sandboxes. No network is used, but for a store on NATS servers, and the list of models of a server
without a default one. The exit code is 1 if something that
parley requires is missing or broken.

With --model, make a few small calls to that model instead: text, a tool, thinking, a picture and the cache.
They cost about 20,000 tokens. The report contains no keys, headers or paths. The exit code is 1 if text or
tools do not work.

With --backend, start that back end instead, without a prompt: print its version, abilities, models and options, and stop it.
The exit code is 1 if it cannot be used.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case backend != "" && (name != "" || asJSON):
				return errors.New("--backend cannot be used with --model or --json")
			case backend != "":
				return doctorBackend(cmd, p, backend)
			}
			if name != "" {
				return doctorModel(cmd, p, name, timeout, asJSON)
			}
			if cmd.Flags().Changed("timeout") {
				return errors.New("--timeout needs --model")
			}
			findings, err := examine(cmd.Context(), p, cli.StoreFlagsOf(cmd))
			if err != nil {
				return err
			}
			if asJSON {
				if err := cli.PrintJSON(cmd, findings); err != nil {
					return err
				}
			} else if err := printFindings(cmd, findings); err != nil {
				return cli.Failed(err)
			}
			if slices.ContainsFunc(findings, func(f cli.Finding) bool { return f.Required && !f.OK }) {
				return cli.Failed(errUnhealthy)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVarP(&name, "model", "m", "", "check this model with calls to it (provider/model-id)")
	cmd.Flags().StringVar(&backend, "backend", "", "start this back end, such as codex or acp:claude, and print what it can do")
	cli.AddStoreFlags(cmd.Flags())
	cmd.Flags().DurationVar(&timeout, "timeout", timeout, "limit of each call of --model")
	return cmd
}

// doctorModel wires the program and checks a model.
func doctorModel(cmd *cobra.Command, p cli.Persona, name string, timeout time.Duration, asJSON bool) error {
	if timeout <= 0 {
		return fmt.Errorf("--timeout %s: expected a time above zero", timeout)
	}
	settings, err := config.Load(p.Getenv)
	if err != nil {
		return cli.Failed(err)
	}
	a, err := p.Assemble(settings, ".")
	if err != nil {
		return cli.Failed(err)
	}
	defer a.Close()
	return examineModelLive(cmd, a, name, timeout, asJSON)
}

func printFindings(cmd *cobra.Command, findings []cli.Finding) error {
	t := cli.NewTable(cmd.OutOrStdout())
	for _, f := range findings {
		mark := "ok"
		if !f.OK {
			mark = "--"
		}
		t.Row(mark, f.Check, f.Detail)
		if f.Fix != "" {
			t.Row("", "", "fix: "+f.Fix)
		}
	}
	return t.Print()
}

// examine checks the configuration, and everything else with the defaults where it is broken.
func examine(ctx context.Context, p cli.Persona, store cli.StoreFlags) ([]cli.Finding, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	settings, err := config.Load(p.Getenv)
	findings := examineConfig(settings, err)
	if err != nil {
		settings = config.Defaults(p.Getenv)
	}
	if err := store.Apply(&settings.Settings); err != nil {
		if f, missing := examineNeeded(err, findCompanion); missing {
			return append(findings, f), nil
		}
		return nil, err
	}
	if p.Examine != nil {
		findings = append(findings, p.Examine(".")...)
	}
	a, err := cli.Assemble(settings)
	if err != nil {
		return append(findings, cli.Finding{Check: "start", Detail: err.Error(), Required: true}), nil
	}
	defer a.Close()
	if p.Configure != nil {
		_ = p.Configure(a, ".") // its files were examined
	}
	return append(findings, examineApp(ctx, a)...), nil
}

func examineConfig(settings config.Config, err error) []cli.Finding {
	if err != nil {
		var findings []cli.Finding
		for line := range strings.SplitSeq(err.Error(), "\n") {
			findings = append(findings, cli.Finding{
				Check: "configuration", Detail: line, Fix: "correct it: no command but doctor works until then; the checks below use the defaults", Required: true,
			})
		}
		return findings
	}
	f := cli.Finding{Check: "configuration", OK: true, Detail: settings.File, Required: true}
	if !settings.Exists {
		f.Detail += " (there is no such file: defaults and variables count)"
	}
	return []cli.Finding{f}
}

// examineApp checks what was assembled.
func examineApp(ctx context.Context, a *app.App) []cli.Finding {
	findings := []cli.Finding{examineHome(a)}
	if a.StoreAddress.Kind == config.NATSStore || a.StoreAddress.Folder != "" || findings[0].OK { // else the store is in the folder that cannot be written
		findings = append(findings, examineStore(ctx, a)...)
	}
	findings = append(findings, examineHost(a.Settings.Home), examineModel(a))
	findings = append(findings, examineProviders(a)...)
	findings = append(findings, examineCompanions(findCompanion))
	findings = append(findings, examineShell(),
		examineProgram("git", "install git: /diff needs it"))
	findings = append(findings, examineSearch(a))
	findings = append(findings, examineHooks(a)...)
	findings = append(findings, examineTrust(a)...)
	findings = append(findings, examineServers(ctx, a)...)
	findings = append(findings, examineBackends(ctx, a)...)
	findings = append(findings, examineConfinement(a))
	for _, m := range sandbox.Probe(ctx) {
		findings = append(findings, cli.Finding{Check: "sandbox: " + m.Name, OK: m.Available, Detail: m.Detail, Fix: m.Fix})
	}
	return findings
}

// examineHome writes a file where sessions will be stored.
func examineHome(a *app.App) cli.Finding {
	f := cli.Finding{Check: "state folder", Detail: a.Settings.Home, Required: true}
	err := os.MkdirAll(a.Settings.Home, 0o700)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(a.Settings.Home, "doctor-*"); err == nil {
			_, err = probe.Write([]byte("ok"))
			err = errors.Join(err, probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err == nil {
		if err := file.CheckLocks(a.Settings.Home); err != nil {
			f.Detail, f.Fix = err.Error(), "set PARLEY_HOME to a folder on a file system with locks"
			return f
		}
	}
	if err != nil {
		f.Detail, f.Fix = err.Error(), cmp.Or(cli.DiskFix(err, a.Settings.Home), "make it writable, or set PARLEY_HOME to a folder that is")
		return f
	}
	f.OK = true
	return f
}

func examineModel(a *app.App) cli.Finding {
	name := a.AllModels.Default()
	f := cli.Finding{Check: "default model", Detail: name, OK: true}
	if _, err := a.AllModels.Resolve(name); err != nil {
		f.OK, f.Detail, f.Fix = false, err.Error(), "set the key, or PARLEY_MODEL to a model that has one"
	} else if name == provider.DemoModel {
		f.Detail += " (no key is configured: the offline demo answers)"
		f.Fix = "set ANTHROPIC_API_KEY or OPENAI_API_KEY for a real model"
	}
	return f
}

func examineProviders(a *app.App) []cli.Finding {
	var findings []cli.Finding
	for _, p := range a.Models.Endpoints() {
		if !p.Usable() {
			continue
		}
		detail := "key from " + p.KeyEnv
		if !p.HasKey() {
			detail = "no key"
		}
		if p.BaseURL != "" {
			detail += ", " + config.PlainURL(p.BaseURL)
		}
		findings = append(findings, cli.Finding{Check: "provider " + p.Name, OK: true, Detail: detail + " (" + p.API + ")"})
	}
	if g, ok := a.Models.Gateway(); ok {
		findings = append(findings, cli.Finding{Check: "provider " + g.Name, OK: true, Detail: config.PlainURL(g.BaseURL) + " (" + g.API + ")"})
	}
	if len(findings) == 0 {
		findings = append(findings, cli.Finding{Check: "providers", OK: false, Detail: "no key in the environment", Fix: "set ANTHROPIC_API_KEY, OPENAI_API_KEY or another provider's"})
	}
	return findings
}

func examineSearch(a *app.App) cli.Finding {
	if a.Searcher == nil {
		return cli.Finding{Check: "web search", OK: false, Detail: "no service is configured: models are offered none", Fix: `set "search" in the configuration`}
	}
	return cli.Finding{Check: "web search", OK: true, Detail: a.Settings.Search.API}
}

// examineConfinement reports what confines commands that run in a sandbox.
func examineConfinement(a *app.App) cli.Finding {
	c := a.Spawner.Confinement()
	f := cli.Finding{Check: "sandbox", OK: c.Available, Detail: c.Detail}
	if !c.Available {
		f.Fix = "see the mechanisms below: one of them is enough"
		if runtime.GOOS == "windows" {
			f.Fix = "use a policy without a sandbox, and approve commands"
		}
	}
	return f
}

// examineShell reports what runs commands.
func examineShell() cli.Finding {
	if runtime.GOOS != "windows" {
		return examineProgram("bash", "install bash: without it shell commands run in sh")
	}
	p, err := shell.Current()
	if err != nil {
		return cli.Finding{Check: "shell", OK: false, Detail: err.Error(), Fix: "without it no commands are run"}
	}
	return cli.Finding{Check: "shell", OK: true, Detail: p.Path}
}

func examineProgram(name, fix string) cli.Finding {
	path, err := program.Find(name)
	if err != nil {
		return cli.Finding{Check: name, OK: false, Detail: err.Error(), Fix: fix}
	}
	return cli.Finding{Check: name, OK: true, Detail: path}
}

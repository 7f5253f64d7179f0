package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/provider"
	"parley.dev/parley/internal/sandbox"
)

// A finding is one line of doctor. Fix is "" when nothing has to be done.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitzero"`

	required bool // nothing works without it
}

// errUnhealthy: something that parley cannot do without is missing or broken.
var errUnhealthy = errors.New("a required check failed")

func doctorCommand(p persona) *cobra.Command {
	var asJSON bool
	var name string
	timeout := defaultCheckTimeout
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check the configuration and this machine", Args: exactArgs(),
		Long: `Check the configuration, the state folder, the programs that tools use, the providers, the hooks,
the trusted folders and the sandboxes. No network is used. The exit code is 1 if something that
parley requires is missing or broken.

With --model, make a few small calls to that model instead: text, a tool, thinking, a picture and the cache.
They cost about 20,000 tokens. The report contains no keys, headers or paths. The exit code is 1 if text or
tools do not work.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if name != "" {
				return doctorModel(cmd, p, name, timeout, asJSON)
			}
			if cmd.Flags().Changed("timeout") {
				return errors.New("--timeout needs --model")
			}
			findings := examine(cmd.Context(), p)
			if asJSON {
				if err := printJSON(cmd, findings); err != nil {
					return err
				}
			} else if err := printFindings(cmd, findings); err != nil {
				return failed(err)
			}
			if slices.ContainsFunc(findings, func(f finding) bool { return f.required && !f.OK }) {
				return failed(errUnhealthy)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVarP(&name, "model", "m", "", "check this model with calls to it (provider/model-id)")
	cmd.Flags().DurationVar(&timeout, "timeout", timeout, "limit of each call of --model")
	return cmd
}

// doctorModel wires the program and checks a model.
func doctorModel(cmd *cobra.Command, p persona, name string, timeout time.Duration, asJSON bool) error {
	if timeout <= 0 {
		return fmt.Errorf("--timeout %s: expected a time above zero", timeout)
	}
	settings, err := config.Load(p.getenv)
	if err != nil {
		return failed(err)
	}
	a, err := p.assemble(settings, ".")
	if err != nil {
		return failed(err)
	}
	defer a.Close()
	return examineModelLive(cmd, a, name, timeout, asJSON)
}

func printFindings(cmd *cobra.Command, findings []finding) error {
	t := newTable(cmd.OutOrStdout())
	for _, f := range findings {
		mark := "ok"
		if !f.OK {
			mark = "--"
		}
		t.row(mark, f.Check, f.Detail)
		if f.Fix != "" {
			t.row("", "", "fix: "+f.Fix)
		}
	}
	return t.print()
}

// examine checks the configuration, and everything else with the defaults where it is broken.
func examine(ctx context.Context, p persona) []finding {
	if ctx == nil {
		ctx = context.Background()
	}
	settings, err := config.Load(p.getenv)
	findings := examineConfig(settings, err)
	if err != nil {
		settings = config.Defaults(p.getenv)
	}
	if p.examine != nil {
		findings = append(findings, p.examine(".")...)
	}
	a, err := assemble(settings)
	if err != nil {
		return append(findings, finding{Check: "start", Detail: err.Error(), required: true})
	}
	defer a.Close()
	if p.configure != nil {
		_ = p.configure(a, ".") // its files were examined
	}
	return append(findings, examineApp(ctx, a)...)
}

func examineConfig(settings config.Config, err error) []finding {
	if err != nil {
		var findings []finding
		for line := range strings.SplitSeq(err.Error(), "\n") {
			findings = append(findings, finding{
				Check: "configuration", Detail: line, Fix: "correct it: no command but doctor works until then; the checks below use the defaults", required: true,
			})
		}
		return findings
	}
	f := finding{Check: "configuration", OK: true, Detail: settings.File, required: true}
	if !settings.Exists {
		f.Detail += " (there is no such file: defaults and variables count)"
	}
	return []finding{f}
}

// examineApp checks what was assembled.
func examineApp(ctx context.Context, a *app.App) []finding {
	findings := []finding{examineHome(a), examineModel(a)}
	findings = append(findings, examineProviders(a)...)
	findings = append(findings, examineProgram("bash", "install bash: without it shell commands run in sh"),
		examineProgram("git", "install git: /diff needs it"))
	findings = append(findings, examineSearch(a))
	findings = append(findings, examineHooks(a)...)
	findings = append(findings, examineTrust(a)...)
	findings = append(findings, examineServers(ctx, a)...)
	findings = append(findings, examineConfinement(a))
	for _, m := range sandbox.Probe(ctx) {
		findings = append(findings, finding{Check: "sandbox: " + m.Name, OK: m.Available, Detail: m.Detail, Fix: m.Fix})
	}
	return findings
}

// examineHome writes a file where sessions will be stored.
func examineHome(a *app.App) finding {
	f := finding{Check: "state folder", Detail: a.Settings.Home, required: true}
	err := os.MkdirAll(a.Settings.Home, 0o700)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(a.Settings.Home, "doctor-*"); err == nil {
			_, err = probe.Write([]byte("ok"))
			err = errors.Join(err, probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		f.Detail, f.Fix = err.Error(), "make it writable, or set PARLEY_HOME to a folder that is"
		return f
	}
	f.OK = true
	return f
}

func examineModel(a *app.App) finding {
	name := a.Models.Default()
	f := finding{Check: "default model", Detail: name, OK: true}
	if _, err := a.Models.Resolve(name); err != nil {
		f.OK, f.Detail, f.Fix = false, err.Error(), "set the key, or PARLEY_MODEL to a model that has one"
	} else if name == provider.DemoModel {
		f.Detail += " (no key is configured: the offline demo answers)"
		f.Fix = "set ANTHROPIC_API_KEY or OPENAI_API_KEY for a real model"
	}
	return f
}

func examineProviders(a *app.App) []finding {
	var findings []finding
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
		findings = append(findings, finding{Check: "provider " + p.Name, OK: true, Detail: detail + " (" + p.API + ")"})
	}
	if g, ok := a.Models.Gateway(); ok {
		findings = append(findings, finding{Check: "provider " + g.Name, OK: true, Detail: config.PlainURL(g.BaseURL) + " (" + g.API + ")"})
	}
	if len(findings) == 0 {
		findings = append(findings, finding{Check: "providers", OK: false, Detail: "no key in the environment", Fix: "set ANTHROPIC_API_KEY, OPENAI_API_KEY or another provider's"})
	}
	return findings
}

func examineSearch(a *app.App) finding {
	if a.Searcher == nil {
		return finding{Check: "web search", OK: false, Detail: "no service is configured: models are offered none", Fix: `set "search" in the configuration`}
	}
	return finding{Check: "web search", OK: true, Detail: a.Settings.Search.API}
}

// examineConfinement says what holds commands that run in a sandbox.
func examineConfinement(a *app.App) finding {
	c := a.Spawner.Confinement()
	f := finding{Check: "sandbox", OK: c.Available, Detail: c.Detail}
	if !c.Available {
		f.Fix = "see the mechanisms below: one of them is enough"
	}
	return f
}

func examineProgram(name, fix string) finding {
	path, err := exec.LookPath(name)
	if err != nil {
		return finding{Check: name, OK: false, Detail: "not found", Fix: fix}
	}
	return finding{Check: name, OK: true, Detail: path}
}

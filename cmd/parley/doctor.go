package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/sandbox"
)

// A finding is one line of doctor. Fix is "" when nothing has to be done.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitzero"`
}

// errUnhealthy: something that parley cannot do without is missing.
var errUnhealthy = errors.New("something has to be mended")

func doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check what is configured and what this machine can do", Args: cobra.NoArgs,
		Long: `Check the configuration, the state folder, the programs that tools use, the providers, the hooks,
the trusted folders and the ways to confine commands. No network is used. Exit code 1 when something that
parley cannot do without is missing.`,
		RunE: withApp(func(a *app, cmd *cobra.Command, _ []string) error {
			findings := a.examine(cmd.Context())
			if asJSON {
				if err := printJSON(cmd, findings); err != nil {
					return err
				}
			} else if err := printFindings(cmd, findings); err != nil {
				return err
			}
			if !findings[0].OK { // the state folder
				return errUnhealthy
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printFindings(cmd *cobra.Command, findings []finding) error {
	t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, f := range findings {
		mark := "ok"
		if !f.OK {
			mark = "--"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", mark, f.Check, f.Detail)
		if f.Fix != "" {
			fmt.Fprintf(t, "\t\tfix: %s\n", f.Fix)
		}
	}
	return t.Flush()
}

func (a *app) examine(ctx context.Context) []finding {
	if ctx == nil {
		ctx = context.Background()
	}
	findings := []finding{a.examineHome(), a.examineModel()}
	findings = append(findings, a.examineProviders()...)
	findings = append(findings, examineProgram("bash", "install bash: without it shell commands run in sh"),
		examineProgram("git", "install git: /diff needs it"))
	findings = append(findings, a.examineSearch())
	findings = append(findings, a.examineHooks()...)
	findings = append(findings, a.examineTrust()...)
	findings = append(findings, a.examineConfinement())
	for _, m := range sandbox.Probe(ctx) {
		findings = append(findings, finding{"sandbox: " + m.Name, m.Available, m.Detail, m.Fix})
	}
	return findings
}

// examineHome writes a file where sessions will lie, as the user who asks.
func (a *app) examineHome() finding {
	f := finding{Check: "state folder", Detail: a.settings.Home}
	err := os.MkdirAll(a.settings.Home, 0o700)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(a.settings.Home, "doctor-*"); err == nil {
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

func (a *app) examineModel() finding {
	name := a.models.Default()
	f := finding{Check: "default model", Detail: name, OK: true}
	if _, err := a.models.Resolve(name); err != nil {
		f.OK, f.Detail, f.Fix = false, name+": "+err.Error(), "set the key, or PARLEY_MODEL to a model that has one"
	} else if name == demoModel {
		f.Detail += " (no key is configured: the offline demo answers)"
		f.Fix = "set ANTHROPIC_API_KEY or OPENAI_API_KEY for a real model"
	}
	return f
}

func (a *app) examineProviders() []finding {
	var findings []finding
	for _, p := range a.models.all() {
		if p.key == "" && !p.whole {
			continue
		}
		detail := "key from " + p.keyEnv
		if p.baseURL != "" {
			detail += ", " + p.baseURL
		}
		findings = append(findings, finding{"provider " + p.name, true, detail + " (" + p.api + ")", ""})
	}
	if len(findings) == 0 {
		findings = append(findings, finding{"providers", false, "no key in the environment", "set ANTHROPIC_API_KEY, OPENAI_API_KEY or another provider's"})
	}
	return findings
}

func (a *app) examineSearch() finding {
	if a.searcher == nil {
		return finding{"web search", false, "no service is configured: models are offered none", `set "search" in the configuration`}
	}
	return finding{"web search", true, a.settings.Search.API, ""}
}

// examineConfinement says what holds commands that run in a sandbox.
func (a *app) examineConfinement() finding {
	c := a.spawner.Confinement()
	f := finding{Check: "sandbox", OK: c.Available, Detail: c.Detail}
	if !c.Available {
		f.Fix = "see the mechanisms below: one of them is enough"
	}
	return f
}

func examineProgram(name, fix string) finding {
	path, err := exec.LookPath(name)
	if err != nil {
		return finding{name, false, "not found", fix}
	}
	return finding{name, true, path, ""}
}

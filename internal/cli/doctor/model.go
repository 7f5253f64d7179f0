package doctor

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/livecheck"
	"parley.dev/parley/internal/provider"
	"parley.dev/parley/internal/terminal"
)

// This file contains doctor --model: a few real calls to a model, and a report of them that can be published.

// A modelReport is what doctor --model finds. It has no key, no value of a header and no path of the
// user.
type modelReport struct {
	Version       string           `json:"version"`
	Platform      string           `json:"platform"`
	Model         string           `json:"model"`
	Endpoint      string           `json:"endpoint"`
	API           string           `json:"api"`
	Profile       string           `json:"profile"`
	ContextWindow int              `json:"context_window"`
	MaxOutput     int              `json:"max_output"`
	Thinking      []model.Thinking `json:"thinking"`
	Images        bool             `json:"images"`
	Known         bool             `json:"known"` // by the catalogue, the endpoint's list or the configuration
	Checks        []modelCheck     `json:"checks"`
	Usage         model.Usage      `json:"usage"` // of all calls
	Cost          float64          `json:"cost"`  // US dollars; 0: the price is not known
	OK            bool             `json:"ok"`    // text and tools work
}

// A modelCheck is one check of a modelReport.
type modelCheck struct {
	Check   string           `json:"check"`
	Status  livecheck.Status `json:"status"`
	Detail  string           `json:"detail"`
	Fix     string           `json:"fix,omitzero"`
	Kind    model.ErrorKind  `json:"kind,omitzero"` // of a call that failed
	Calls   int              `json:"calls"`
	Usage   model.Usage      `json:"usage"`
	FirstMS int64            `json:"first_ms"` // to the first piece of the answer
	TookMS  int64            `json:"took_ms"`
}

// errModelFails: text or tools do not work.
var errModelFails = errors.New("the model cannot be used: text or tools do not work")

// defaultCheckTimeout bounds each call of doctor --model.
const defaultCheckTimeout = time.Minute

// examineModelLive runs doctor --model.
func examineModelLive(cmd *cobra.Command, a *app.App, name string, timeout time.Duration, asJSON bool) error {
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	found, err := a.Models.Resolve(name)
	if err != nil {
		return cli.Failed(err)
	}
	p, _ := a.Models.EndpointOf(found.Info)
	checked := found.Info
	checked.Known = found.Info.Known && a.Models.KnowsImages(p, found.Info.ID)
	report := newModelReport(found.Info, p)
	hide := hider(a.Models.Secrets(), config.HomeDir(os.Getenv))
	out := cmd.OutOrStdout()
	if !asJSON {
		if err := report.printHead(out); err != nil {
			return cli.Failed(err)
		}
	}
	var failure error
	livecheck.Run(ctx, livecheck.Options{
		Provider: found.Provider, Info: checked, MaxTokens: engine.OutputCap(found.Info), Timeout: timeout,
		Session: "doctor-" + rand.Text(), Advice: p.Advice,
	}, func(r livecheck.Result) {
		report.add(r, found.Info, hide)
		if !asJSON {
			failure = cmp.Or(failure, report.Checks[len(report.Checks)-1].print(out))
		}
	})
	if window := checkWindow(ctx, a.Models, p, found.Info); window != nil && len(report.Checks) > 1 {
		report.Checks = append(report.Checks, *window)
		if !asJSON {
			failure = cmp.Or(failure, window.print(out))
		}
	}
	switch {
	case failure != nil:
		return cli.Failed(failure)
	case ctx.Err() != nil:
		return cli.Failed(context.Cause(ctx))
	case asJSON:
		failure = cli.PrintJSON(cmd, report)
	default:
		failure = report.printEnd(out)
	}
	if failure == nil && !report.OK {
		failure = errModelFails
	}
	return cli.Failed(failure)
}

func newModelReport(info model.Info, p provider.Endpoint) *modelReport {
	r := &modelReport{
		Version: cli.Version, Platform: runtime.GOOS + "/" + runtime.GOARCH, Model: info.Provider + "/" + info.ID,
		Endpoint: "built in", API: p.API, ContextWindow: info.ContextWindow, MaxOutput: info.MaxOutput,
		Thinking: info.Thinking, Images: info.Images, Known: info.Known,
	}
	if p.API != "" {
		r.Endpoint, r.Profile = config.PlainURL(p.Address()), p.ProfileOf(info.ID).Name
	} else {
		r.Model = info.Name
	}
	return r
}

func (r *modelReport) add(result livecheck.Result, info model.Info, hide func(string) string) {
	fix := strings.ReplaceAll(result.Fix, "providers.NAME.models.ID", "providers."+info.Provider+".models."+info.ID)
	c := modelCheck{
		Check: result.Name, Status: result.Status, Detail: hide(result.Detail), Fix: hide(fix), Calls: result.Calls, Usage: result.Usage,
		FirstMS: result.First.Milliseconds(), TookMS: result.Took.Milliseconds(),
	}
	if result.Err != nil {
		c.Kind = result.Err.Kind
	}
	r.Checks = append(r.Checks, c)
	r.Usage = r.Usage.Add(result.Usage)
	r.Cost = info.Price.Cost(r.Usage)
	works := map[string]bool{}
	for _, c := range r.Checks {
		works[c.Check] = c.Status != livecheck.Failed
	}
	r.OK = works[livecheck.Text] && works[livecheck.Tool]
}

func (r *modelReport) printHead(out io.Writer) error {
	t := cli.NewTable(out)
	t.Row("parley", r.Version+" "+r.Platform)
	t.Row("model", r.Model)
	t.Row("endpoint", r.Endpoint)
	if r.API != "" {
		t.Row("api, profile", r.API+", "+r.Profile)
	}
	known := ""
	if !r.Known {
		known = " (a guess: the model is not known)"
	}
	var levels []string
	for _, level := range r.Thinking {
		levels = append(levels, string(level))
	}
	pictures := "no"
	if r.Images {
		pictures = "yes"
	}
	t.Row("window", fmt.Sprintf("%d tokens, answers up to %d%s", r.ContextWindow, r.MaxOutput, known))
	t.Row("thinking", cmp.Or(strings.Join(levels, ", "), "none"))
	t.Row("pictures", pictures)
	if err := t.Print(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out)
	return err
}

func (c *modelCheck) print(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%-8s %-9s %s\n", c.Status, c.Check, terminal.Line(c.Detail))
	if c.Calls > 0 && c.Usage != (model.Usage{}) {
		fmt.Fprintf(&text, "%18s %.1f s, first token after %.1f s; %d tokens in, %d out\n", "", float64(c.TookMS)/1000, float64(c.FirstMS)/1000, c.Usage.Context(), c.Usage.Output)
	}
	if c.Fix != "" {
		fmt.Fprintf(&text, "%18s fix: %s\n", "", terminal.Line(c.Fix))
	}
	_, err := io.WriteString(out, text.String())
	return err
}

func (r *modelReport) printEnd(out io.Writer) error {
	cost := ""
	if r.Cost > 0 {
		cost = fmt.Sprintf(", about $%.4f", r.Cost)
	}
	_, err := fmt.Fprintf(out, "\n%d tokens in, %d out%s. This report contains no keys, headers or paths and can be published.\n", r.Usage.Context(), r.Usage.Output, cost)
	return err
}

// smallWindow is the window below which a session is mostly compaction, in tokens.
const smallWindow = 16_384

// checkWindow returns what to do about a window that is too small, by what the endpoint lists now that the
// model is loaded; nil: nothing.
func checkWindow(ctx context.Context, m *provider.Registry, p provider.Endpoint, info model.Info) *modelCheck {
	window := info.ContextWindow
	if infos, err := m.List(ctx, p.Name); err == nil {
		for _, listed := range infos {
			if listed.ID == info.ID {
				window = cmp.Or(listed.ContextWindow, window)
			}
		}
	}
	if window >= smallWindow {
		return nil
	}
	fix := "start the server with a larger context (vLLM: --max-model-len, llama.cpp: -c)"
	if p.ProfileOf(info.ID).Name == "ollama" {
		fix = "start the server with OLLAMA_CONTEXT_LENGTH=65536: it cuts longer requests without an error"
	}
	return &modelCheck{
		Check: "window", Status: livecheck.Limited, Fix: fix,
		Detail: fmt.Sprintf("the window of %d tokens is too small: the first request of a session has about 4,000", window),
	}
}

// private matches what servers say of the account: its organisation, its projects, an address of mail.
var private = lazy.Regexp{Expr: `\b(org|proj|user|acct)[-_][A-Za-z0-9]{6,}|[\w.+-]+@[\w-]+\.[\w.-]+`}

// hider returns a function that removes from a text what a report must not show.
func hider(secrets []string, home string) func(string) string {
	var pairs []string
	for _, secret := range secrets {
		pairs = append(pairs, secret, hidden)
	}
	if len(home) > 1 {
		pairs = append(pairs, home, "~")
	}
	replacer := strings.NewReplacer(pairs...)
	return func(text string) string { return private.Get().ReplaceAllString(replacer.Replace(text), hidden) }
}

// hidden stands where a report had something private.
const hidden = "[hidden]"

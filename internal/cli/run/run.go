package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/console"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/provider"
	"parley.dev/parley/internal/terminal"
)

// runFlags is the command line of run.
type runFlags struct {
	backend                        string // of a new session; "": the configured one
	persona                        cli.Persona
	model, workspace, mode, resume string
	sandbox                        string // "": the permission mode decides
	policy                         string // with sandbox: never or on-request
	network                        bool
	maxSteps                       int
	images                         []string // paths
	asJSON                         bool
}

// Command returns the command run of a program.
func Command(p cli.Persona) *cobra.Command {
	f := runFlags{persona: p}
	cmd := &cobra.Command{
		Use: "run [PROMPT]", Short: "Run one prompt and print the answer",
		Long: `Run one prompt in the workspace and print the answer. What tools do is reported on stderr.

Standard input that is a pipe or a file is appended to the prompt. Without a PROMPT, or with
"-", it is the prompt.

If standard input is a terminal, run asks for approval of calls that the permission mode does not
allow; otherwise they are denied. With --sandbox, run asks for no approval: calls run in the
sandbox, and what it does not allow is refused. With --approval-policy on-request as well, run
asks for approval of what the sandbox refuses. With --json, stdout has one journal record per line.

Exit codes: 0 done, 1 failed, 2 wrong command line, 3 stopped at a limit, 129, 130 or 143 ended
by SIGHUP, SIGINT (Ctrl-C) or SIGTERM.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return runPrompt(cmd, f, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.model, "model", "m", "", "provider/model-id (default: the configured one)")
	flags.StringVar(&f.backend, "backend", "", "agent of the configuration that runs the turn, such as acp:claude (default: PARLEY_BACKEND, or the configured one)")
	flags.StringVarP(&f.workspace, "workspace", "w", "", "root folder for tools (default: the current one; with --resume, the session's)")
	flags.StringVar(&f.mode, "permission-mode", "", "read-only, plan, workspace-write, prompt or danger-full-access")
	flags.StringVar(&f.sandbox, "sandbox", "", "run calls in a sandbox, without approvals: what it does not allow is refused; read-only, workspace-write or full-access")
	flags.StringVar(&f.policy, "approval-policy", string(approval.AskNever), "with --sandbox, whether to ask for approval of what it refuses: never or on-request")
	flags.BoolVar(&f.network, "network", false, "with --sandbox workspace-write: commands may use the network")
	flags.StringVar(&f.resume, "resume", "", "continue a session: latest, its id, the beginning of its id, or its path")
	flags.IntVar(&f.maxSteps, "max-steps", 0, "maximum number of tool rounds; 0: no limit")
	flags.StringArrayVar(&f.images, "image", nil, "a PNG, JPEG, GIF or WebP file to show to the model; can be repeated")
	flags.BoolVar(&f.asJSON, "json", false, "print records as JSON lines")
	cli.AddStoreFlags(flags)
	cli.SetChoices(flags, "permission-mode", cli.ModeWords...)
	cli.SetChoices(flags, "sandbox", cli.SandboxWords...)
	cli.SetChoices(flags, "approval-policy", string(approval.AskNever), string(approval.AskOnRequest))
	return cmd
}

// check reports flags that are wrong or do not go together.
func (f runFlags) check(cmd *cobra.Command) error {
	if f.mode != "" {
		if _, err := approval.ParseMode(f.mode); err != nil {
			return err
		}
	}
	sandbox, err := f.contained()
	switch {
	case err != nil:
		return err
	case f.maxSteps < 0:
		return fmt.Errorf("--max-steps %d is less than 0", f.maxSteps)
	case f.sandbox != "" && cmd.Flags().Changed("permission-mode"):
		return errors.New("--sandbox and --permission-mode exclude each other: calls are decided by one of them")
	case f.network && sandbox.Kind != approval.SandboxWorkspace:
		return errors.New("--network is for --sandbox workspace-write only")
	}
	return nil
}

func runPrompt(cmd *cobra.Command, f runFlags, args []string) error {
	settings, err := config.Load(f.persona.Getenv)
	if err != nil {
		return cli.Failed(err)
	}
	if err := cli.StoreFlagsOf(cmd).Apply(&settings.Settings); err != nil {
		return err
	}
	text, err := promptText(cmd.ErrOrStderr(), os.Stdin, args)
	if err != nil {
		return err
	}
	if f.mode != "" {
		settings.PermissionMode, _ = approval.ParseMode(f.mode) // it is checked
	}
	if f.model == provider.DemoModel {
		settings.Model = f.model // it is meant, and reports nothing
	}
	if f.backend != "" {
		if _, err := settings.FindBackend(f.backend); err != nil {
			return cli.Failed(fmt.Errorf("--backend: %w", err))
		}
		settings.Backend, settings.BackendFlag = f.backend, f.backend
	}
	prompt := engine.Prompt{Text: text}
	for _, path := range f.images {
		image, err := readImage(path)
		if err != nil {
			return cli.Failed(err)
		}
		prompt.Images = append(prompt.Images, image)
	}
	if err := cli.ResumePath(&settings, &f.resume); err != nil {
		return cli.Failed(err)
	}
	stop, screen := cli.NotifyStop(), cli.NewScreen(cmd)
	f.persona.Log = cli.NewScreenLog(screen, settings.LogLevel(), cli.LogServerFailed)
	a, err := f.persona.Assemble(settings, cmp.Or(f.workspace, "."))
	if err != nil {
		return cli.Failed(err)
	}
	defer a.Close()
	if err := a.Join(context.Background()); err != nil {
		return cli.Failed(err)
	}
	s, err := runSession(a, f)
	if err != nil {
		return cli.Failed(err)
	}
	end, err := runTurn(a, cmd, screen, s, f, prompt, stop)
	if cerr := s.Close(context.Background()); err == nil {
		err = cerr
	}
	if f.resume == "" && end.Failure != nil && end.Failure.Kind == string(model.NotConfigured) {
		_ = a.Host.Remove(context.Background(), s.ID()) // no model was called: there is nothing to continue
	}
	if errors.Is(err, engine.ErrBudget) {
		return &cli.ExitError{Code: cli.ExitUnfinished, Err: err}
	}
	if err != nil {
		return cli.Failed(err)
	}
	return runExit(end, stop.Signal())
}

func runSession(a *app.App, f runFlags) (*engine.Session, error) {
	ctx, o := context.Background(), engine.Defaults()
	o.StepLimit = f.maxSteps
	o.Toolset = app.Toolset(terminal.Is(os.Stdin))
	o.Texts = map[engine.Text]string{engine.TextClientGone: "no client can approve this call: use --permission-mode, --sandbox or a grant"}
	settings := event.Settings{Model: f.model, Mode: string(a.Settings.PermissionMode)}
	if f.sandbox != "" {
		o.Approvals, o.Calls = engine.ApproveBySandbox{}, engine.ParallelReads
		settings.Asking = approval.Asking(f.policy)
		settings.Sandbox, _ = f.contained() // checked with the other flags
	}
	if f.resume == "" {
		return a.Host.Create(ctx, engine.NewSession{Workspace: f.workspace, Settings: settings}, o)
	}
	id, err := cli.FindSession(a, f.workspace, f.resume)
	if err != nil {
		return nil, err
	}
	if f.workspace != "" {
		if o.Dir, err = engine.Workspace(f.workspace); err != nil {
			return nil, err
		}
	}
	s, err := a.Host.Open(ctx, id, o)
	if err != nil {
		return nil, err
	}
	client := s.Join(engine.ClientInfo{Name: "run"})
	defer client.Leave()
	err = client.Change(func(old *event.Settings) { // only what a flag asks for: a session keeps its permissions
		switch {
		case f.sandbox != "":
			old.Mode, old.Asking, old.Sandbox, old.RefusedApprovals = "", settings.Asking, settings.Sandbox, nil
		case f.mode != "":
			engine.DecideByMode(old, approval.Mode(f.mode))
		}
		old.Model = cmp.Or(f.model, old.Model)
	})
	if err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	return s, nil
}

// contained returns the sandbox that the flags ask for.
func (f runFlags) contained() (approval.Sandbox, error) {
	s := approval.Sandbox{Kind: approval.SandboxKind(f.sandbox), Network: f.network}
	switch a := approval.Asking(f.policy); {
	case a != approval.AskNever && a != approval.AskOnRequest:
		return s, fmt.Errorf("--approval-policy %q is neither never nor on-request", f.policy)
	case a == approval.AskOnRequest && f.sandbox == "":
		return s, errors.New("--approval-policy on-request needs --sandbox: it asks about what the sandbox refuses")
	}
	switch s.Kind {
	case "", approval.SandboxReadOnly, approval.SandboxWorkspace, approval.SandboxNone:
		return s, nil
	}
	return s, fmt.Errorf("--sandbox %q is none of read-only, workspace-write and full-access", f.sandbox)
}

// runTurn runs the prompt and shows what happens until the turn's end.
func runTurn(a *app.App, cmd *cobra.Command, screen *console.Screen, s *engine.Session, f runFlags, prompt engine.Prompt, stop cli.Stop) (event.TurnEnded, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := s.Join(engine.ClientInfo{Name: "run"})
	if terminal.Is(os.Stdin) {
		client.Leave()
		client = s.Attach(engine.ClientInfo{Name: "run"})
	}
	defer client.Leave()
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	watching.Go(func() {
		select {
		case <-stop.Asked:
			cancel() // a question that is shown ends first
			client.Interrupt()
		case <-ctx.Done():
		}
	})
	watching.Go(func() { screen.Run(ctx) })
	turn := &console.Turn{Session: s, Client: client, View: console.NewView(screen)}
	turn.View.Workspace = s.State().Workspace
	if f.asJSON {
		turn.View = console.NewQuietView(screen)
		out := terminal.Output(cmd.OutOrStdout())
		turn.Record = func(rec event.Record) error { return printRecord(out, rec) }
	}
	if terminal.Is(os.Stdin) {
		turn.Console = console.New(screen, terminal.NewInput(os.Stdin))
	}
	return turn.Run(ctx, prompt)
}

// printRecord prints a record as a line of JSON; of the transient ones, only pieces of the answer.
func printRecord(w io.Writer, rec event.Record) error {
	if _, delta := rec.Event.(event.TextDelta); rec.Seq == 0 && !delta {
		return nil
	}
	line, err := rec.AppendJSON(nil)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// runExit returns how run ends after a turn. A turn that a signal has interrupted ends it as the signal
// alone would.
func runExit(end event.TurnEnded, signal os.Signal) error {
	switch end.Reason {
	case event.TurnCompleted:
		return nil
	case event.TurnInterrupted:
		code := cli.ExitInterrupted
		if number, ok := signal.(syscall.Signal); ok {
			code = 128 + int(number)
		}
		return &cli.ExitError{Code: code, Err: fmt.Errorf("interrupted")}
	case event.TurnFailed:
		return cli.Failed(fmt.Errorf("%s", end.Failure.Message))
	case event.TurnBudget:
		return &cli.ExitError{Code: cli.ExitUnfinished, Err: fmt.Errorf("stopped: %s", end.Failure.Message)}
	}
	return &cli.ExitError{Code: cli.ExitUnfinished, Err: fmt.Errorf("stopped: %s", end.Reason)}
}

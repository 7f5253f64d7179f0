package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// runFlags is the command line of run.
type runFlags struct {
	model, workspace, mode, resume string
	sandbox                        string // "": the permission mode decides
	network                        bool
	maxSteps                       int
	asJSON                         bool
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "run PROMPT", Short: "Run one prompt and print the answer", Args: cobra.MinimumNArgs(1),
		Long: `Run one prompt in the workspace and print the answer; what tools do is told on stderr.
Calls that the permission mode does not cover are asked about when stdin is a terminal,
else they are denied. With --sandbox nobody is asked: whatever the model wants runs, commands
confined to what the sandbox allows. With --json stdout is one journal record a line.

Exit codes: 0 done, 1 failed, 3 stopped at a limit, 130 interrupted.`,
		RunE: func(cmd *cobra.Command, args []string) error { return runPrompt(cmd, f, strings.Join(args, " ")) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.model, "model", "m", "", "provider/model-id (default: the configured one)")
	flags.StringVarP(&f.workspace, "workspace", "w", ".", "root folder for tools")
	flags.StringVar(&f.mode, "permission-mode", "", "read-only, plan, workspace-write, prompt or danger-full-access")
	flags.StringVar(&f.sandbox, "sandbox", "", "decide by sandbox instead: read-only, workspace-write or full-access")
	flags.BoolVar(&f.network, "network", false, "with --sandbox workspace-write: commands may use the network")
	flags.StringVar(&f.resume, "resume", "", "go on with a session: an id or a path")
	flags.IntVar(&f.maxSteps, "max-steps", 0, "tool rounds allowed; 0: any number")
	flags.BoolVar(&f.asJSON, "json", false, "print records as JSON lines")
	return cmd
}

func runPrompt(cmd *cobra.Command, f runFlags, text string) error {
	settings, err := loadSettings(os.Getenv)
	if err != nil {
		return failed(err)
	}
	if f.mode != "" {
		if settings.PermissionMode, err = approval.ParseMode(f.mode); err != nil {
			return err
		}
	}
	if _, err := f.contained(); err != nil {
		return err
	}
	if err := resumePath(&settings, &f.resume); err != nil {
		return failed(err)
	}
	a, err := assemble(settings)
	if err != nil {
		return failed(err)
	}
	defer a.close()
	s, err := a.runSession(f)
	if err != nil {
		return failed(err)
	}
	end, err := a.runTurn(cmd, s, f, text)
	if cerr := s.Close(context.Background()); err == nil {
		err = cerr
	}
	if errors.Is(err, engine.ErrBudget) {
		return &exitError{code: exitUnfinished, err: err}
	}
	if err != nil {
		return failed(err)
	}
	return runExit(end)
}

func (a *app) runSession(f runFlags) (*engine.Session, error) {
	ctx, o := context.Background(), engine.Defaults()
	o.StepLimit = f.maxSteps
	o.Toolset = plainToolset()
	settings := event.Settings{Model: f.model, Mode: string(a.settings.PermissionMode)}
	if f.sandbox != "" {
		o.Approvals, o.Calls = engine.ApproveBySandbox, engine.InOrder
		settings.Asking = approval.AskNever
		settings.Sandbox, _ = f.contained() // checked with the other flags
	}
	if f.resume == "" {
		return a.host.Create(ctx, engine.NewSession{Workspace: f.workspace, Settings: settings}, o)
	}
	s, err := a.host.Open(ctx, event.SessionID(f.resume), o)
	if err != nil {
		return nil, err
	}
	return s, s.Change(func(old *event.Settings) {
		old.Mode, old.Asking, old.Sandbox = settings.Mode, settings.Asking, settings.Sandbox
		if f.model != "" {
			old.Model = f.model
		}
	})
}

// contained is the sandbox that the flags ask for.
func (f runFlags) contained() (approval.Sandbox, error) {
	s := approval.Sandbox{Kind: approval.SandboxKind(f.sandbox), Network: f.network}
	switch s.Kind {
	case "", approval.SandboxReadOnly, approval.SandboxWorkspace, approval.SandboxNone:
		return s, nil
	}
	return s, fmt.Errorf("--sandbox %q is none of read-only, workspace-write and full-access", f.sandbox)
}

// plainToolset is our tools under their own names, one for each purpose: edit without patch,
// and no commands that would outlive the one prompt.
func plainToolset() []engine.Binding {
	var bindings []engine.Binding
	for _, name := range []string{"read", "write", "edit", "glob", "grep", "list", "shell", "fetch", "search", "ask", "plan", "skill"} {
		bindings = append(bindings, engine.Binding{Name: name, Tool: name})
	}
	return bindings
}

// runTurn runs the prompt and shows what happens until the turn's end.
func (a *app) runTurn(cmd *cobra.Command, s *engine.Session, f runFlags, text string) (event.TurnEnded, error) {
	ctx := context.Background()
	records := s.Follow(ctx, s.Head()+1, event.KindTextDelta)
	person := isatty.IsTerminal(os.Stdin.Fd())
	if person {
		defer s.Attach()()
	}
	stop := notifyStop().asked
	go func() {
		<-stop
		s.Interrupt()
	}()
	if _, err := s.Prompt(ctx, engine.Prompt{Text: text}); err != nil {
		return event.TurnEnded{}, err
	}
	show := &runView{out: cmd.OutOrStdout(), err: cmd.ErrOrStderr(), asJSON: f.asJSON, in: bufio.NewReader(os.Stdin), session: s, person: person}
	for rec, err := range records {
		if err != nil {
			return event.TurnEnded{}, err
		}
		if err := show.record(rec); err != nil {
			return event.TurnEnded{}, err
		}
		if end, ok := rec.Event.(event.TurnEnded); ok {
			return end, nil
		}
	}
	return event.TurnEnded{}, fmt.Errorf("the session ended before the turn did")
}

func runExit(end event.TurnEnded) error {
	switch end.Reason {
	case event.TurnCompleted:
		return nil
	case event.TurnInterrupted:
		return &exitError{code: exitInterrupted, err: fmt.Errorf("interrupted")}
	case event.TurnFailed:
		return failed(fmt.Errorf("%s", end.Failure.Message))
	case event.TurnBudget:
		return &exitError{code: exitUnfinished, err: fmt.Errorf("stopped: %s", end.Failure.Message)}
	}
	return &exitError{code: exitUnfinished, err: fmt.Errorf("stopped: %s", end.Reason)}
}

// A runView shows a turn to a person: the answer on out, everything else on err.
type runView struct {
	out, err io.Writer
	asJSON   bool
	in       *bufio.Reader
	session  *engine.Session
	person   bool
	midLine  bool
}

func (v *runView) record(rec event.Record) error {
	if ask, ok := rec.Event.(event.ApprovalAsked); ok && v.person {
		defer v.answer(ask)
	}
	if v.asJSON {
		line, err := rec.AppendJSON(nil)
		if err != nil {
			return err
		}
		_, err = v.out.Write(append(line, '\n'))
		return err
	}
	return v.tell(rec.Event)
}

func (v *runView) tell(e event.Event) (err error) {
	switch e := e.(type) {
	case event.TextDelta:
		v.midLine = !strings.HasSuffix(e.Text, "\n")
		_, err = io.WriteString(v.out, e.Text)
	case event.AssistantMessage, event.TurnEnded:
		if v.midLine {
			v.midLine = false
			_, err = io.WriteString(v.out, "\n")
		}
	case event.ToolIntended:
		fmt.Fprintf(v.err, "[%s] %s\n", e.Name, oneLine(string(e.Input)))
	case event.ToolEnded:
		if e.Outcome != event.Succeeded {
			fmt.Fprintf(v.err, "[%s] %s\n", e.Outcome, oneLine(e.Output))
		}
		for _, change := range e.Changes {
			fmt.Fprintf(v.err, "[%s] %s (+%d -%d)\n", change.Op, change.Path, change.Added, change.Removed)
		}
	case event.Notice:
		fmt.Fprintf(v.err, "[%s] %s\n", e.Level, e.Text)
	case event.BudgetWarned:
		fmt.Fprintf(v.err, "[%s] %s\n", event.Warning, e.Text)
	case event.BudgetExceeded:
		fmt.Fprintf(v.err, "[%s] %s\n", event.Warning, e.Text)
	}
	return err
}

// answer asks the person at the terminal; anything but y denies.
func (v *runView) answer(ask event.ApprovalAsked) {
	fmt.Fprintf(v.err, "Allow %s? %s\n[y/N] ", ask.Request.Tool, oneLine(string(ask.Input)))
	line, _ := v.in.ReadString('\n') // a lost terminal denies
	yes := strings.EqualFold(strings.TrimSpace(line), "y")
	_ = v.session.Answer(ask.ID, engine.Decision{Allow: yes}) // withdrawn meanwhile: nothing to do
}

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 160 {
		return string(runes[:160]) + " …"
	}
	return text
}

package serve

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/console"
	"parley.dev/parley/internal/dialect/scaiflux"
	"parley.dev/parley/internal/dialect/scaiflux/repl"
	"parley.dev/parley/internal/terminal"
)

func scaifluxRepl() *cobra.Command {
	var f scaiflux.Flags
	cmd := &cobra.Command{
		Use: "repl", Short: "Chat with the model in a terminal", Args: cli.ExactArgs(),
		Long: `Read prompts and slash commands line by line, and run them in a session of the serve mode.
Calls that the permission mode does not allow need your approval. Ctrl-C interrupts a turn; at
the prompt, Ctrl-C twice or Ctrl-D ends the program. A line that ends with a backslash continues
on the next line.

If standard input is not a terminal, each of its lines is a prompt, and calls that the mode does
not allow are denied.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkScaifluxFlags(cmd, &f); err != nil {
				return err
			}
			return runRepl(cmd, f)
		},
	}
	addScaifluxFlags(cmd, &f)
	cli.AddStoreFlags(cmd.Flags())
	cmd.Flags().String("permission-mode", "", "what runs without approval: read-only, workspace-write, prompt, plan or danger-full-access (default: the configured one, workspace-write)")
	return cmd
}

// runRepl serves a session and is its client.
func runRepl(cmd *cobra.Command, f scaiflux.Flags) error {
	settings, err := config.Load(scaifluxEnv)
	if err != nil {
		return cli.Failed(err)
	}
	if err := cli.StoreFlagsOf(cmd).Apply(&settings.Settings); err != nil {
		return err
	}
	f.SetMode = true // it decides which calls the console approves
	if f.Mode == "" {
		f.Mode = settings.PermissionMode
	}
	if err := cli.ResumePath(&settings, &f.Resume); err != nil {
		return cli.Failed(err)
	}
	credentials, credentialsErr := scaiflux.ReadCredentials(config.HomeDir(os.Getenv), os.Getenv)
	a, err := cli.Assemble(settings)
	if err != nil {
		return cli.Failed(err)
	}
	defer a.Close()
	if err := a.Join(context.Background()); err != nil {
		return cli.Failed(err)
	}
	adaptToScaiflux(a, credentials, credentialsErr)

	stop := cli.NotifyStopOn(syscall.SIGTERM, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(context.Background())
	requests, toServer := io.Pipe()
	fromServer, events := io.Pipe()
	screen := cli.NewScreen(cmd)
	var running sync.WaitGroup
	running.Go(func() {
		defer cancel()                                             // the client has nothing to read from
		defer func() { _, _ = requests.Close(), events.Close() }() // a pipe in memory: closing does not fail
		scaiflux.Serve(context.Background(), scaiflux.Config{
			Host: a.Host, In: requests, Out: events, Log: a.Log, Version: cli.Version, Flags: f, Credentials: credentials, Stop: stop.Asked,
		})
	})
	running.Go(func() { screen.Run(ctx) })
	running.Go(func() {
		select {
		case <-stop.Asked:
			cancel()
		case <-ctx.Done():
		}
	})
	cfg := repl.Config{To: toServer, From: fromServer, Screen: screen, Interrupts: interrupts(ctx)}
	if terminal.Is(os.Stdin) {
		input := terminal.NewInput(os.Stdin)
		cfg.Console = console.New(screen, input)
		shown := os.Stderr
		if !terminal.Is(shown) {
			shown = os.Stdout
		}
		cfg.ReadLine = editLines(terminal.NewEditor(input, shown))
	} else {
		cfg.ReadLine = readLines(os.Stdin)
	}
	err = repl.Run(ctx, cfg)
	_, _ = toServer.Close(), fromServer.Close()
	cancel()
	running.Wait()
	if signal, ok := stop.Signal().(syscall.Signal); ok {
		return &cli.ExitError{Code: 128 + int(signal)}
	}
	return cli.Failed(err)
}

// interrupts sends each SIGINT until ctx ends.
func interrupts(ctx context.Context) <-chan struct{} {
	signals, out := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGINT)
	go func() {
		defer signal.Stop(signals)
		for {
			select {
			case <-signals:
				select {
				case out <- struct{}{}:
				case <-ctx.Done():
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// editLines reads what the user enters. A line that ends with a backslash goes on in the next.
func editLines(editor *terminal.Editor) func(context.Context, string) (string, error) {
	return func(ctx context.Context, prompt string) (string, error) {
		var all strings.Builder
		for {
			line, err := editor.ReadLine(ctx, prompt)
			if err != nil {
				return "", err
			}
			begin, more := strings.CutSuffix(line, "\\")
			all.WriteString(begin)
			if !more {
				return all.String(), nil
			}
			all.WriteByte('\n')
			prompt = "… "
		}
	}
}

// readLines reads lines where no user is at a terminal.
func readLines(from io.Reader) func(context.Context, string) (string, error) {
	type read struct {
		line string
		err  error
	}
	lines, next := bufio.NewReader(from), make(chan read, 1)
	return func(ctx context.Context, _ string) (string, error) {
		go func() {
			line, err := lines.ReadString('\n')
			if errors.Is(err, io.EOF) && line != "" {
				err = nil
			}
			next <- read{strings.TrimSuffix(line, "\n"), err}
		}()
		select {
		case r := <-next:
			return r.line, r.err
		case <-ctx.Done(): // the program ends, and the goroutine with it
			return "", context.Cause(ctx)
		}
	}
}

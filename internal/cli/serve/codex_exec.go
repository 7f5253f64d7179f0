package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/codex"
	"parley.dev/parley/internal/dialect/credentials"
	"parley.dev/parley/internal/gitroot"
	"parley.dev/parley/internal/regular"
	"parley.dev/parley/internal/terminal"
	"parley.dev/parley/internal/wire"
)

// codexExecFlags is the command line of exec as it is written.
type codexExecFlags struct {
	asJSON, otherJSON, skipRepository bool
	overrides, dirs                   []string
	schema, answer                    string // paths
	run                               codex.ExecRun
}

// codexExec returns the command that runs one turn.
func codexExec() *cobra.Command {
	var f codexExecFlags
	cmd := &cobra.Command{
		Use: "exec [PROMPT]", Short: "Run one turn and print the answer, or its events as lines of JSON", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.exec(cmd, args) },
	}
	resume := &cobra.Command{
		Use: "resume [ID] [PROMPT]", Short: "The same in a thread that is stored", Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !f.run.Last {
				if len(args) == 0 {
					return errors.New("ID is missing: name a thread, or use --last")
				}
				f.run.Resume, args = args[0], args[1:]
			}
			return f.exec(cmd, args)
		},
	}
	resume.Flags().BoolVar(&f.run.Last, "last", false, "go on with the last thread of the folder")
	fork := &cobra.Command{
		Use: "fork ID [PROMPT]", Short: "The same in a copy of a thread", Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.run.Fork = args[0]
			return f.exec(cmd, args[1:])
		},
	}
	cmd.AddCommand(resume, fork, f.review())
	flags := cmd.PersistentFlags()
	flags.BoolVar(&f.asJSON, "json", false, "print events as lines of JSON")
	flags.BoolVar(&f.otherJSON, "experimental-json", false, "the same as --json")
	flags.StringArrayVarP(&f.overrides, "config", "c", nil, "override of the configuration, KEY=VALUE (repeatable)")
	flags.StringVarP(&f.run.Model, "model", "m", "", "the model")
	flags.StringVarP(&f.run.Sandbox, "sandbox", "s", "", "read-only, workspace-write or danger-full-access")
	flags.StringVarP(&f.run.Cwd, "cd", "C", "", "the folder to work in")
	flags.StringArrayVar(&f.dirs, "add-dir", nil, "another folder that commands may write (repeatable)")
	flags.BoolVar(&f.skipRepository, "skip-git-repo-check", false, "also run outside of a Git repository")
	flags.StringVar(&f.schema, "output-schema", "", "file with the JSON Schema of the answer")
	flags.StringVarP(&f.answer, "output-last-message", "o", "", "file that is sent the last message")
	flags.StringArrayVarP(&f.run.Images, "image", "i", nil, "a PNG, JPEG, GIF or WebP file (repeatable)")
	flags.BoolVar(&f.run.Ephemeral, "ephemeral", false, "do not list the thread")
	flags.StringVar(&f.run.ThreadSource, "thread-source", "", "what the thread is for, as clients see it")
	flags.StringP("profile", "p", "", "taken for the sake of clients")
	for _, name := range []string{"color", "cyber-access-program"} {
		flags.String(name, "", "taken for the sake of clients")
	}
	cli.AddStoreFlags(flags)
	return cmd
}

// exec runs the turn of a prompt.
func (f *codexExecFlags) exec(cmd *cobra.Command, args []string) error {
	return f.runTurn(cmd, func() (err error) {
		f.run.Prompt, err = execPrompt(os.Stdin, args)
		return err
	})
}

// runTurn runs the turn that read adds to f.run.
func (f *codexExecFlags) runTurn(cmd *cobra.Command, read func() error) error {
	values, err := configValues(f.overrides)
	if err != nil {
		return err
	}
	if err := f.prepare(values); err != nil {
		return cli.Failed(err)
	}
	env := execEnv(values)
	settings, err := config.Load(env)
	if err != nil {
		return cli.Failed(err)
	}
	if err := cli.StoreFlagsOf(cmd).Apply(&settings.Settings); err != nil {
		return err
	}
	if err := read(); err != nil { // another program has not taken over
		return err
	}
	settings.Grace = time.Second // an SDK that has cancelled a run does not wait long
	flags := codex.DefaultFlags()
	flags.Source, flags.Asking = codex.SessionSource{Word: "exec"}, approval.AskNever
	flags.Sandbox = approval.Sandbox{Kind: approval.SandboxReadOnly}
	if flags.Cwd, err = thisProcess.workspace(f.run.Cwd); err != nil {
		return cli.Failed(err)
	}
	out, err := wire.ProtectStdout()
	if err != nil {
		return cli.Failed(err)
	}
	a, err := app.New(settings, app.Options{Parts: cli.Linked.Parts, Version: cli.Version, Credentials: credentials.Files(), Sharing: codex.Sharing(), Getenv: env})
	if err != nil {
		return cli.Failed(err)
	}
	defer a.Close()
	if err := a.Connect(context.Background()); err != nil {
		return cli.Failed(err)
	}
	stop := cli.NotifyStop()
	asJSON := f.asJSON || f.otherJSON
	messages := terminal.Output(os.Stderr)
	defer messages.Close()
	f.run.Event = func(e codex.ExecEvent) error {
		switch {
		case asJSON:
			_, err := out.Write(codex.AppendExecEvent(nil, e))
			return err
		case e.Message != "":
			fmt.Fprintln(messages, e.Message)
		}
		return nil
	}
	end, err := codex.Exec(context.Background(), codex.Config{
		Host: a.Host, Process: codex.NewProcess(), Log: a.Log, Version: cli.Version, Home: a.Settings.Home, Flags: flags, Parts: codexParts(a), Stop: stop.Asked,
	}, f.run)
	unsaved := a.Host.Close(context.Background())
	if err == nil && f.answer != "" {
		err = os.WriteFile(f.answer, []byte(end.Answer), 0o600)
	}
	if err == nil && !asJSON && end.Completed {
		answer := terminal.Output(out)
		if _, err = fmt.Fprintln(answer, end.Answer); err == nil {
			err = answer.Close()
		}
	}
	signal, _ := stop.Signal().(syscall.Signal)
	switch {
	case err != nil:
		return cli.Failed(err)
	case unsaved != nil:
		return cli.Failed(fmt.Errorf("the thread is not saved: %w", unsaved))
	case end.Completed:
		return nil
	case signal != 0:
		return &cli.ExitError{Code: 128 + int(signal)}
	}
	return &cli.ExitError{Code: cli.ExitFailed}
}

// maxSchema is the greatest size of the file of --output-schema, in bytes.
const maxSchema = 16 << 20

// prepare checks what the command line names.
func (f *codexExecFlags) prepare(values map[string]jsontext.Value) (err error) {
	if f.run.Cwd != "" {
		if f.run.Cwd, err = thisProcess.workspace(f.run.Cwd); err != nil {
			return err
		}
	}
	if !f.skipRepository && !inRepository(cmp.Or(f.run.Cwd, ".")) {
		return errors.New("the folder is not in a Git repository; --skip-git-repo-check runs there")
	}
	if f.schema != "" {
		data, err := regular.ReadFile(f.schema, maxSchema)
		if err != nil {
			return fmt.Errorf("read --output-schema: %w", err)
		}
		if f.run.OutputSchema = data; !f.run.OutputSchema.IsValid() || f.run.OutputSchema.Kind() != '{' {
			return fmt.Errorf("--output-schema %s is not a JSON object", f.schema)
		}
	}
	for i, path := range f.run.Images {
		if f.run.Images[i], err = filepath.Abs(path); err != nil {
			return err
		}
	}
	if len(f.dirs) > 0 {
		var roots []string
		const key = "sandbox_workspace_write.writable_roots"
		if given := values[key]; given != nil {
			if err := json.Unmarshal(given, &roots); err != nil {
				return fmt.Errorf("--config %s: %w", key, err)
			}
		}
		for _, dir := range f.dirs {
			absolute, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			roots = append(roots, absolute)
		}
		if values[key], err = json.Marshal(roots); err != nil {
			return err
		}
	}
	f.run.Config = values
	return nil
}

// execPrompt returns the prompt: an argument, standard input, or the argument with standard input after it.
func execPrompt(stdin *os.File, args []string) (string, error) {
	text := ""
	if len(args) > 0 && args[0] != "-" {
		text = args[0]
	}
	info, err := stdin.Stat()
	piped := err == nil && info.Mode()&os.ModeCharDevice == 0
	if !piped {
		if text == "" {
			return "", errors.New("PROMPT is missing: pass it as an argument or on standard input")
		}
		return text, nil
	}
	data, err := io.ReadAll(stdin)
	switch {
	case err != nil:
		return "", cli.Failed(fmt.Errorf("read standard input: %w", err))
	case text == "" && len(data) == 0:
		return "", cli.Failed(errors.New("no prompt on standard input"))
	case text == "":
		return string(data), nil
	case len(data) == 0:
		return text, nil
	}
	return fmt.Sprintf("%s\n\n<stdin>\n%s\n</stdin>", text, data), nil
}

// execEnv returns the environment with what the SDK gives for the provider OpenAI: its key, and the address from the configuration.
func execEnv(values map[string]jsontext.Value) func(string) string {
	var base string
	_ = json.Unmarshal(values["openai_base_url"], &base) // what is no text is none
	return func(name string) string {
		given := os.Getenv(name)
		switch name {
		case "OPENAI_API_KEY":
			return cmp.Or(os.Getenv("CODEX_API_KEY"), given)
		case "OPENAI_BASE_URL":
			return cmp.Or(base, given)
		case "PARLEY_OPENAI_API":
			if base != "" {
				return cmp.Or(given, "responses") // the only API that the SDK's servers have to serve
			}
		}
		return given
	}
}

// inRepository reports whether a folder lies in a Git repository.
func inRepository(dir string) bool {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	_, found := gitroot.Find(dir)
	return found
}

package batch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/regular"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/text"
)

// resultsFlags is the command line of results.
type resultsFlags struct {
	out                      string
	sessions, follow, asJSON bool
}

func resultsCommand() *cobra.Command {
	var f resultsFlags
	cmd := &cobra.Command{
		Use: "results ID", Short: "Print the results of a batch, or write them with their patches to a folder", Args: cli.ExactArgs("ID"),
		Long: `Print the results of the tasks that are finished. With --out, write DIR/results.jsonl, and for
each task DIR/TASK/result.json and, if files were changed, DIR/TASK/patch.diff, which "git apply"
takes at the commit that the result names. Files that are right already stay as they are.`,
		PreRunE: func(*cobra.Command, []string) error {
			if f.sessions && f.out == "" {
				return errors.New("--sessions needs --out")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			role := stream.RoleSubmitter
			if f.sessions {
				role = stream.RoleViewer
			}
			return withBatches(role, func(a *app.App, b *batch.Batches, cmd *cobra.Command, args []string) error {
				return results(a, b, cmd, args[0], f)
			})(cmd, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "folder for results and patches")
	flags.BoolVar(&f.sessions, "sessions", false, "with --out: also DIR/TASK/session.jsonl, the records of the session")
	flags.BoolVar(&f.follow, "follow", false, "wait for further results until the batch is finished")
	flags.BoolVar(&f.asJSON, "json", false, "print a line of JSON for each result")
	return cmd
}

func results(a *app.App, b *batch.Batches, cmd *cobra.Command, id string, f resultsFlags) error {
	ctx, cancel := cancelledBy(cmd.Context(), cli.NotifyStop())
	defer cancel()
	if f.follow {
		if err := followResults(ctx, b, cmd, id, f.asJSON); err != nil {
			return err
		}
	}
	s, err := b.Load(ctx, id)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := writeResults(ctx, a, b, s, f.out, f.sessions); err != nil {
			return err
		}
	}
	if f.follow {
		return nil
	}
	return printResults(ctx, b, cmd, s, f.asJSON)
}

// followResults prints each result when it is there, in the order of their ends.
func followResults(ctx context.Context, b *batch.Batches, cmd *cobra.Command, id string, asJSON bool) error {
	printed := map[string]uint64{} // the entry of the result, by task
	var failed error
	err := b.Watch(ctx, id, func(s *batch.State) bool {
		for _, t := range s.Tasks {
			if !t.Status.Final() || printed[t.ID] == t.Number {
				continue
			}
			printed[t.ID] = t.Number
			r, err := b.Result(ctx, t)
			if err == nil && asJSON {
				err = printLine(cmd, r)
			} else if err == nil {
				table := cli.NewTable(cmd.OutOrStdout())
				resultRow(table, r)
				err = table.Print()
			}
			if failed = err; err != nil {
				return false
			}
		}
		return !s.Report(s.Created).Finished
	})
	return errors.Join(failed, err)
}

// printResults prints the results that there are, sorted by task.
func printResults(ctx context.Context, b *batch.Batches, cmd *cobra.Command, s *batch.State, asJSON bool) error {
	t := cli.NewTable(cmd.OutOrStdout(), "TASK", "STATUS", "ATTEMPT", "COST", "FILES", "ANSWER")
	t.Fits = true
	for _, task := range s.Sorted() {
		if !task.Status.Final() {
			continue
		}
		r, err := b.Result(ctx, task)
		if err != nil {
			return err
		}
		if !asJSON {
			resultRow(t, r)
		} else if err := printLine(cmd, r); err != nil {
			return err
		}
	}
	if asJSON {
		return nil
	}
	return t.Print()
}

func resultRow(t *cli.Table, r batch.Result) {
	answer, files := text.Clip(text.OneLine(r.Answer), 200, " …"), 0
	if r.Error != nil {
		answer = failureText(r.Error)
	}
	if r.Patch != nil {
		files = len(r.Patch.Files)
	}
	t.Row(r.Task, r.Status, r.Attempt, dollars(r.CostUSD), files, answer)
}

// writeResults writes the results that there are below a folder.
func writeResults(ctx context.Context, a *app.App, b *batch.Batches, s *batch.State, dir string, sessions bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var all bytes.Buffer
	for _, t := range s.Sorted() {
		if !t.Status.Final() {
			continue
		}
		r, err := b.Result(ctx, t)
		if err != nil {
			return err
		}
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		all.Write(append(line, '\n'))
		if err := writeResult(ctx, a, b, t, r, filepath.Join(dir, t.ID), sessions); err != nil {
			return err
		}
	}
	return replace(filepath.Join(dir, "results.jsonl"), all.Bytes())
}

func writeResult(ctx context.Context, a *app.App, b *batch.Batches, t *batch.TaskState, r batch.Result, dir string, sessions bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := replace(filepath.Join(dir, "result.json"), append(line, '\n')); err != nil {
		return err
	}
	patch, err := b.PatchText(ctx, t)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "patch.diff")
	if len(patch) > 0 {
		err = replace(path, patch)
	} else if err = os.Remove(path); errors.Is(err, os.ErrNotExist) { // of a result before a retry
		err = nil
	}
	if err != nil || !sessions || r.Session == "" {
		return err
	}
	records, err := sessionLines(ctx, a, event.SessionID(r.Session))
	if err != nil || records == nil {
		return err
	}
	return replace(filepath.Join(dir, "session.jsonl"), records)
}

// sessionLines returns the records of a session as lines of JSON; nil: it was removed.
func sessionLines(ctx context.Context, a *app.App, id event.SessionID) ([]byte, error) {
	var lines []byte
	for rec, err := range a.Store.Read(ctx, id, 1) {
		if errors.Is(err, engine.ErrNoSession) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if lines, err = rec.AppendJSON(lines); err != nil {
			return nil, err
		}
		lines = append(lines, '\n')
	}
	return lines, nil
}

// replace writes a file as a whole, unless it has this content.
func replace(path string, data []byte) error {
	if there, err := regular.ReadFile(path, int64(len(data))); err == nil && bytes.Equal(there, data) {
		return nil
	}
	return cli.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cli/serve"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model/cassette"
	"parley.dev/parley/internal/replay"
	"parley.dev/parley/internal/sessionlog"
	"parley.dev/parley/internal/subagent/worktree"
)

// run runs a recording again, and returns what differs.
func (f flags) run(ctx context.Context, r *replay.Recording) (report replay.Report, err error) {
	if len(r.Turns) == 0 {
		return report, errors.New(cmp.Or(r.Left, "the session has no turn"))
	}
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return report, err
	}
	folder, remove, err := cli.TemporaryFolder(settings)
	if err != nil {
		return report, err
	}
	defer remove()
	a, err := f.assemble(settings, folder, r)
	if err != nil {
		return report, err
	}
	defer a.Close()
	if f.sandbox != string(approval.SandboxNone) && !a.Spawner.Confinement().Available {
		return report, fmt.Errorf("commands cannot be confined here: %s. With --sandbox full-access they run with all of your rights", a.Spawner.Confinement().Detail)
	}
	dir, done, err := f.folder(ctx, a, r.Workspace)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, done()) }()
	s, err := f.session(ctx, a, dir, r)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, s.Close(context.WithoutCancel(ctx))) }()
	for _, turn := range r.Turns {
		client := s.Join(engine.ClientInfo{Name: "replay"})
		if _, err := client.Prompt(ctx, engine.Prompt{Text: turn.Prompt, Blank: true}); err != nil {
			return report, err
		}
		if err := s.Wait(ctx); err != nil {
			return report, err
		}
	}
	now, err := replay.Turns(sessionlog.Read(ctx, a.Store, s.ID(), 1))
	if err != nil {
		return report, err
	}
	return replay.Compare(r, now, dir), nil
}

// assemble puts a program together that stores in a folder, and whose model gives the answers of a recording.
func (f flags) assemble(settings config.Config, folder string, r *replay.Recording) (*app.App, error) {
	tape := filepath.Join(folder, "answers.jsonl")
	if err := cassette.Write(tape, r.Answers); err != nil {
		return nil, err
	}
	settings.Home, settings.Store, settings.Model, settings.Backend, settings.Record = filepath.Join(folder, "state"), "", cassette.Name+"/"+tape, "", ""
	return cli.Assemble(settings)
}

// folder returns the folder that the turns run in, and what removes it.
func (f flags) folder(ctx context.Context, a *app.App, workspace string) (dir string, done func() error, err error) {
	if f.workspace != "" {
		dir, err = engine.Workspace(f.workspace)
		return dir, func() error { return nil }, err
	}
	trees := worktree.New(worktree.Options{Root: a.TreesFolder(), Spawner: a.Spawner, Environ: a.Environ(), Trusts: a.Settings.Trusts})
	tree, below, err := f.copy(ctx, trees, workspace)
	if err != nil {
		return "", nil, fmt.Errorf("copy the workspace: %w", err)
	}
	if dir, err = tree.Below(below); err != nil {
		return "", nil, errors.Join(err, tree.Close())
	}
	return dir, tree.Close, nil
}

// copy makes a copy of the repository of a workspace, or of a workspace that is in none. The workspace is the folder below in it.
func (f flags) copy(ctx context.Context, trees *worktree.Manager, workspace string) (tree *worktree.Tree, below string, err error) {
	commit, err := trees.Resolve(ctx, workspace, f.revision)
	switch {
	case errors.Is(err, worktree.ErrNoRepository) && f.revision == "":
		tree, err = trees.Isolate(ctx, workspace, "replay")
		return tree, "", err
	case err != nil:
		return nil, "", err
	}
	if below, err = trees.Prefix(ctx, workspace); err != nil {
		return nil, "", err
	}
	tree, err = trees.CheckOut(ctx, commit, "replay")
	return tree, below, err
}

// session creates the session that the turns run in. It has the options of the recorded one, but no approvals.
func (f flags) session(ctx context.Context, a *app.App, dir string, r *replay.Recording) (*engine.Session, error) {
	o, known := serve.ProfileOptions(r.Profile)
	if !known {
		o = engine.Defaults()
		o.Toolset = app.Toolset(false)
	}
	o.Approvals = engine.ApproveBySandbox{}
	settings := event.Settings{Thinking: r.Settings.Thinking, Asking: approval.AskNever, Sandbox: approval.Sandbox{Kind: approval.SandboxKind(f.sandbox)}}
	return a.Host.Create(ctx, engine.NewSession{Workspace: dir, Settings: settings}, o)
}

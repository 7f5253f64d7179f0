package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/hook"
	"parley.dev/parley/internal/regular"
)

// claudeSettings are the files of a project that may have hooks, as Claude Code reads them.
var claudeSettings = []string{filepath.Join(".claude", "settings.json"), filepath.Join(".claude", "settings.local.json")}

// maxClaudeSettings bounds such a file, in bytes.
const maxClaudeSettings = 1 << 20

// A hookSets runs the hooks of the user and, for sessions in trusted folders, those of the project.
// The hooks of a project are read once: a session cannot add one and have it run.
type hookSets struct {
	app     *App
	options hook.Options
	own     *hook.Set

	mu       sync.Mutex
	projects map[string]*hook.Set // by folder; nil: it has none
}

// Has reports whether there are hooks of a moment for sessions in dir.
func (h *hookSets) Has(m event.HookMoment, dir string) bool {
	if h.own.Has(m) {
		return true
	}
	project := h.project(dir)
	return project != nil && project.Has(m)
}

// Run asks the user's hooks and then, unless they deny, those of the project.
func (h *hookSets) Run(ctx context.Context, r hook.Report) hook.Ruling {
	if folder := h.app.Store.Location(r.Session); folder != "" {
		r.Transcript = filepath.Join(folder, "journal.jsonl")
	}
	ruling := h.own.Run(ctx, r)
	project := h.project(r.Dir)
	if project == nil || ruling.Denied || ruling.Stop || ctx.Err() != nil {
		return ruling
	}
	if ruling.Input != nil {
		call := *r.Call
		call.Input = ruling.Input
		call.OwnInput, _ = call.Fit(ruling.Input) // it is checked
		r.Call = &call
	}
	return ruling.Then(project.Run(ctx, r))
}

// project returns the hooks of the project in dir; nil: there are none that may run.
func (h *hookSets) project(dir string) *hook.Set {
	if !h.app.Settings.ProjectHooks || dir == "" {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	set, known := h.projects[dir]
	if !known {
		set = h.load(dir)
		h.projects[dir] = set
	}
	return set
}

// load reads the hooks of a project. If a file with guards cannot be used, every call is denied.
func (h *hookSets) load(dir string) *hook.Set {
	if !h.app.Settings.Trusts(dir) {
		return nil
	}
	o := h.options
	o.Hooks = map[event.HookMoment][]hook.Hook{}
	for _, name := range claudeSettings {
		hooks, err := h.read(filepath.Join(dir, name))
		if err != nil {
			h.app.Log.Warn("the hooks of the project cannot be used", "file", filepath.Join(dir, name), "error", err)
			hooks = map[event.HookMoment][]hook.Hook{event.BeforeTool: {{
				Name: name, Command: `printf '%s\n' "the hooks in ` + name + ` cannot be used; correct the file, or set project_hooks to false" >&2; exit 2`,
			}}}
		}
		for moment, list := range hooks {
			o.Hooks[moment] = append(o.Hooks[moment], list...)
		}
	}
	set, err := hook.New(o)
	if err != nil {
		h.app.Log.Error("the hooks of the project cannot be used", "folder", dir, "error", err) // they were checked
		return nil
	}
	return set
}

func (h *hookSets) read(path string) (map[event.HookMoment][]hook.Hook, error) {
	text, err := regular.ReadFile(path, maxClaudeSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	hooks, problems, err := hook.ReadClaudeSettings(text)
	for _, problem := range problems {
		h.app.Log.Warn("a hook of the project is not used", "file", path, "problem", problem)
	}
	return hooks, err
}

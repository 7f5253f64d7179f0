package main

import (
	"fmt"
	"log/slog"
	"os"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/wire"
)

// An app is the program's parts put together.
type app struct {
	settings loaded
	models   *models
	store    *file.Store
	spawner  *sandbox.Spawner
	host     *engine.Host
	log      *slog.Logger
	stderr   *wire.Log
}

var logLevels = map[string]slog.Level{
	"error": slog.LevelError, "warn": slog.LevelWarn, "info": slog.LevelInfo, "debug": slog.LevelDebug,
}

// logDepth is how many lines of log wait for a reader of stderr before they are dropped.
const logDepth = 1024

// newApp reads the settings and wires the rooms; nothing is opened before it is needed.
func newApp() (*app, error) {
	settings, err := loadSettings(os.Getenv)
	if err != nil {
		return nil, err
	}
	return assemble(settings)
}

func assemble(settings loaded) (*app, error) {
	a := &app{settings: settings, models: newModels(settings.Settings, os.Getenv), stderr: wire.NewLog(os.Stderr, logDepth)}
	a.log = slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: logLevels[settings.Log]}))
	store, err := file.Open(settings.Home, file.Options{})
	if err != nil {
		return nil, fmt.Errorf("open state folder: %w", err)
	}
	a.store = store
	a.spawner = sandbox.NewSpawner(sandbox.Options{})
	a.host = engine.NewHost(engine.Config{
		Store: store, Models: a.models, Tools: tool.ByName, Env: a.env, Log: a.log,
	})
	return a, nil
}

// env is the surroundings of a session's tool calls. The state folder is out of their reach
// even when it lies in the workspace.
func (a *app) env(workspace string) (*tool.Env, error) {
	w, err := tool.OpenWorkspace(workspace, a.settings.Home)
	if err != nil {
		return nil, err
	}
	return &tool.Env{
		Workspace: w, Spawner: a.spawner, Environ: tool.Environ(os.Environ(), a.models.secrets()...),
		PrivateNetwork: a.settings.PrivateNetwork,
	}, nil
}

// close ends whatever still runs. Sessions are closed by those who opened them.
func (a *app) close() {
	a.spawner.Close()
	_ = a.store.Close()
	a.stderr.Close(time.Second)
}

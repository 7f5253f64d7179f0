package app

import (
	"path/filepath"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/batch/jetstream"
	"parley.dev/parley/internal/batch/local"
	"parley.dev/parley/internal/batch/worker"
)

// BatchStore opens the store of batches that belongs to the store of sessions. The caller must close it before the App.
func (a *App) BatchStore() (batch.Store, error) {
	if a.Member != nil {
		return jetstream.New(a.Member.Connect, jetstream.Options{}), nil
	}
	folder := a.Settings.Home
	if a.StoreAddress.Folder != "" {
		folder = a.StoreAddress.Folder
	}
	return local.Open(filepath.Join(folder, "batches"), local.Options{})
}

// WorkerOptions returns the options of a worker of this program. Its folder is beside the state folder, which tools do not read.
func (a *App) WorkerOptions(b *batch.Batches) worker.Options {
	return worker.Options{
		Batches: b, Host: a.Host, Toolset: Toolset(false), Env: a.env, Spawner: a.Spawner, Environ: a.Environ(), Trusts: a.Settings.Trusts,
		Root: filepath.Clean(a.Settings.Home) + batchSuffix, Log: a.Log,
	}
}

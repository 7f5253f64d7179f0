// Package batches puts together what runs batches of tasks, with the parts of an App.
package batches

import (
	"path/filepath"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/batch/jetstream"
	"parley.dev/parley/internal/batch/local"
	"parley.dev/parley/internal/batch/worker"
	"parley.dev/parley/internal/cluster"
)

// Open opens the store of batches that belongs to the store of sessions. The caller must close it before the App.
func Open(a *app.App) (batch.Store, error) {
	if m, ok := a.Member.(*cluster.Member); ok {
		return jetstream.New(m.Connect, jetstream.Options{}), nil
	}
	folder := a.Settings.Home
	if a.StoreAddress.Folder != "" {
		folder = a.StoreAddress.Folder
	}
	return local.Open(filepath.Join(folder, "batches"), local.Options{})
}

// WorkerOptions returns the options of a worker of this program. Its folder is beside the state folder, which tools do not read.
func WorkerOptions(a *app.App, b *batch.Batches) worker.Options {
	return worker.Options{
		Batches: b, Host: a.Host, Toolset: app.Toolset(false), Env: a.Env, Spawner: a.Spawner, Environ: a.Environ(), Trusts: a.Settings.Trusts,
		Root: a.BatchFolder(), Log: a.Log,
	}
}

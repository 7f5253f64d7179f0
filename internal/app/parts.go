package app

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"parley.dev/parley/internal/cluster/peer"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/metric"
	"parley.dev/parley/internal/telemetry/target"
)

// Parts are what only some programs link, since it costs the start of each that does. Where settings need one that is
// missing, the error is an [ElsewhereError].
type Parts struct {
	// OpenShared opens a store that several hosts use. It is not connected.
	OpenShared func(SharedOptions) Shared
	// Export begins to export traces and metrics. What it follows is nil if there is nowhere to export to.
	Export func(ExportOptions) (Exporter, error)
}

// SharedOptions are what a shared store is opened with.
type SharedOptions struct {
	Settings config.Settings
	Address  config.StoreAddress
	Version  string // of the program
	Role     string // whose rights are needed, see package address; "": that of a host
	HostID   string // of the process among the hosts; "": one is made up
}

// Shared is a store that several hosts use.
type Shared struct {
	Store  journal.Store
	Member peer.Member
	// Watch returns what counts how the store is used; it may be called once, before the store is used.
	Watch func() MetricWriter
}

// A MetricWriter adds metrics to a page.
type MetricWriter interface {
	Write(ctx context.Context, p *metric.Page)
}

// ExportOptions are what telemetry is exported with.
type ExportOptions struct {
	Settings target.Settings
	Getenv   func(string) string
	Version  string // of the program
	Log      *slog.Logger
}

// An Exporter exports traces and metrics of sessions.
type Exporter interface {
	// Follow exports what happens in a session.
	Follow(engine.Opened)
	Close()
}

// An ElsewhereError reports that settings need a part which this program does not have.
type ElsewhereError struct{ What string }

// Error says that What is not in this program.
func (e *ElsewhereError) Error() string { return e.What + ": not in this program" }

// Check returns an ElsewhereError if settings need a part that is missing; nil for settings that cannot be used, which is
// reported elsewhere.
func (p Parts) Check(s config.Settings, getenv func(string) string) error {
	if address, err := s.StoreAddress(); p.OpenShared == nil && err == nil && address.Kind == config.NATSStore {
		return &ElsewhereError{"a store on NATS"}
	}
	if p.Export == nil {
		if _, err := target.Configure(exportSettings(s, nil), orProcess(getenv)); err == nil {
			return &ElsewhereError{"the export of telemetry"}
		}
	}
	return nil
}

func exportSettings(s config.Settings, headers map[string]string) target.Settings {
	return target.Settings{Endpoint: s.Telemetry.Endpoint, Headers: headers, Content: s.Telemetry.Content}
}

// orProcess returns getenv, or the variables of the process where it is nil.
func orProcess(getenv func(string) string) func(string) string {
	if getenv == nil {
		return os.Getenv
	}
	return getenv
}

// addTelemetry adds what exports traces and metrics, if a collector is configured. What cannot be used is logged: an agent
// works without telemetry.
func (a *App) addTelemetry(p Parts) {
	headers, err := a.Settings.Telemetry.ExpandedHeaders(a.getenv)
	if err == nil {
		settings := exportSettings(a.Settings.Settings, headers)
		if p.Export != nil {
			a.exporter, err = p.Export(ExportOptions{Settings: settings, Getenv: a.getenv, Version: a.version, Log: a.Log})
		} else if _, err = target.Configure(settings, a.getenv); errors.Is(err, target.ErrOff) {
			err = nil
		}
	}
	if err != nil {
		a.Log.Warn("no telemetry is exported", "error", err)
	}
}

// opened returns what follows sessions; nil: nothing does.
func (a *App) opened() func(engine.Opened) {
	if a.exporter == nil {
		return nil
	}
	return a.exporter.Follow
}

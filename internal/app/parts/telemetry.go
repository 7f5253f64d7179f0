package parts

import (
	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/telemetry"
)

// export begins to export telemetry.
func export(o app.ExportOptions) (app.Exporter, error) {
	t, err := telemetry.New(telemetry.Options{Settings: o.Settings, Getenv: o.Getenv, Version: o.Version, Log: o.Log})
	if t == nil || err != nil {
		return nil, err
	}
	return exporter{t}, nil
}

// An exporter exports what happens in the sessions of an engine.
type exporter struct{ *telemetry.Telemetry }

// Follow implements app.Exporter.
func (e exporter) Follow(o engine.Opened) {
	s := telemetry.Session{ID: o.Session.ID(), Log: o.Session.Log(), From: o.From, Others: o.Others}
	if o.Work != (engine.Work{}) {
		s.Work = &telemetry.Work{Session: o.Work.Session, Turn: o.Work.Turn, Call: o.Work.Call, Agent: o.Work.Agent}
	}
	e.Telemetry.Follow(s)
}

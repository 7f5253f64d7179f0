package app

import (
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/telemetry"
)

// addTelemetry adds what exports traces and metrics, if a collector is configured. What cannot be used is logged: an agent
// works without telemetry.
func (a *App) addTelemetry() {
	s := a.Settings.Telemetry
	headers, err := s.ExpandedHeaders(a.getenv)
	if err == nil {
		a.telemetry, err = telemetry.New(telemetry.Options{
			Settings: telemetry.Settings{Endpoint: s.Endpoint, Headers: headers, Content: s.Content},
			Getenv:   a.getenv, Version: a.version, Log: a.Log,
		})
	}
	if err != nil {
		a.Log.Warn("no telemetry is exported", "error", err)
	}
}

// opened returns what follows sessions; nil: nothing does.
func (a *App) opened() func(engine.Opened) {
	if a.telemetry == nil {
		return nil
	}
	return func(o engine.Opened) {
		s := telemetry.Session{ID: o.Session.ID(), Log: o.Session.Log(), From: o.From, Others: o.Others}
		if o.Work != (engine.Work{}) {
			s.Work = &telemetry.Work{Session: o.Work.Session, Turn: o.Work.Turn, Call: o.Work.Call, Agent: o.Work.Agent}
		}
		a.telemetry.Follow(s)
	}
}

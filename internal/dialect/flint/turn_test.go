package flint

import (
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// TestTurnStartKeepsChanges: what another client changes while turn/start is handled stays, but for the members that the request has.
func TestTurnStartKeepsChanges(t *testing.T) {
	t.Parallel()
	p := &place{Place: dialecttest.NewPlace(t, t.TempDir(), "text Done.\n")}
	var host *engine.Host
	var thread string
	configure := func(config *engine.Config) func(*engine.Host) {
		describe := config.Models.Resolve
		config.Describe = func(name string) engine.Model { // of turn/start, which has read the settings
			m, _ := describe(name)
			if change := thread; change != "" && name == "offline/script" {
				thread = ""
				s, err := host.Session(event.SessionID(change))
				if err == nil {
					err = s.Join(engine.ClientInfo{Name: "other"}).Change(func(s *event.Settings) { s.Name, s.Model = "Other", "offline/demo" })
				}
				if err != nil {
					t.Error(err)
				}
			}
			return m
		}
		return func(h *engine.Host) { host = h }
	}
	c := &client{Client: p.Dial(t, serveConfigured(configure), "flint"), t: t}
	c.call("initialize", `{"clientInfo":{"name":"test","version":"1"}}`)
	id := c.start(`{}`)
	thread = id
	c.begin(id, `,"model":"offline/script"`)
	c.finish("decline")
	s, err := host.Session(event.SessionID(id))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.State().Settings; got.Name != "Other" || got.Model != "offline/script" {
		t.Errorf("name %q, model %q", got.Name, got.Model)
	}
	c.end()
}

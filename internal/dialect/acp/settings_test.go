package acp

import (
	"context"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// fakeModels are models that cannot be called, some of which only a slow endpoint knows.
type fakeModels struct {
	answer chan struct{} // closed when the endpoint answers; nil: it does at once
}

var fakeInfos = map[string]model.Info{
	"p/plain":  {ID: "plain", Provider: "p", Known: true},
	"p/deep":   {ID: "deep", Provider: "p", Name: "Deep", Known: true, Thinking: []model.Thinking{model.Low, model.High}, ContextWindow: 5000},
	"p/late":   {ID: "late", Provider: "p"},
	"p/hidden": {ID: "hidden", Provider: "p"},
}

func (fakeModels) Default() string { return "p/plain" }
func (fakeModels) Names() []string { return []string{"p/deep", "p/plain"} }

func (f fakeModels) Discover(ctx context.Context) []engine.Offer {
	if f.answer != nil {
		select {
		case <-f.answer:
		case <-ctx.Done():
			return nil
		}
	}
	return []engine.Offer{{Name: "p/late", Info: fakeInfos["p/late"]}, {Name: "p/plain", Info: fakeInfos["p/plain"]}}
}

func (fakeModels) Resolve(name string) (engine.Model, error) {
	return engine.Model{Info: fakeInfos[name]}, nil
}

func modelNames(values []ConfigValue) string {
	var names []string
	for _, v := range values {
		names = append(names, v.Value+"="+v.Name)
	}
	return strings.Join(names, " ")
}

// TestModels: the models are those that are known, sorted, then also those of endpoints, and always the current one.
func TestModels(t *testing.T) {
	m := newModels(engine.NewHost(engine.Config{Models: fakeModels{}}))
	if got := modelNames(m.values("p/hidden")); got != "p/deep=Deep p/hidden=hidden p/plain=plain" {
		t.Error(got)
	}
	offers := fakeModels{}.Discover(t.Context())
	if !m.offer(offers) {
		t.Error("a new model is not reported, although the list was sent without it")
	}
	if m.offer(offers) {
		t.Error("nothing is new, and it is reported")
	}
	if got := modelNames(m.values("")); got != "p/deep=Deep p/hidden=hidden p/late=late p/plain=plain" {
		t.Error(got)
	}
	if early := newModels(m.host); early.offer(offers) {
		t.Error("models are reported as late that were there before the first list")
	}
}

// TestChoices: the current value of each option is one of its values, whatever the settings are.
func TestChoices(t *testing.T) {
	m := newModels(engine.NewHost(engine.Config{Models: fakeModels{}}))
	workspace := approval.Sandbox{Kind: approval.SandboxWorkspace}
	for name, test := range map[string]struct {
		settings event.Settings
		want     choices
	}{
		"nothing is set":          {event.Settings{}, choices{modeAsk, "p/plain", model.Off, "workspace-write", ""}},
		"another protocol's mode": {event.Settings{Mode: "danger-full-access"}, choices{modeFullAccess, "p/plain", model.Off, "full", ""}},
		"a level that it lacks":   {event.Settings{Mode: modeAsk, Asking: approval.AskUnlessTrusted, Model: "p/deep", Thinking: model.XHigh, Sandbox: workspace}, choices{modeAsk, "p/deep", model.High, "workspace-write", ""}},
		"the model's own level":   {event.Settings{Mode: modeAuto, Asking: approval.AskOnRequest, Model: "p/deep", Sandbox: workspace}, choices{modeAuto, "p/deep", model.Low, "workspace-write", ""}},
		"no level":                {event.Settings{Mode: modeAuto, Asking: approval.AskOnRequest, Model: "p/deep", Thinking: model.Off, Sandbox: workspace}, choices{modeAuto, "p/deep", model.Off, "workspace-write", ""}},
		"a model that has none":   {event.Settings{Mode: modeAuto, Asking: approval.AskOnRequest, Model: "p/plain", Thinking: model.High, Sandbox: workspace}, choices{modeAuto, "p/plain", model.Off, "workspace-write", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := m.choicesOf(test.settings); got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
			for _, o := range m.options(test.settings) {
				if !strings.Contains(modelNames(o.Options)+" ", o.CurrentValue+"=") {
					t.Errorf("%s: %s is not one of %v", o.ID, o.CurrentValue, o.Options)
				}
			}
		})
	}
}

// TestSettled: a change of settings is shown unless the client has asked for just that; a change that it did not ask for, also
// one that an answer of its own caused, has both updates, in step.
func TestSettled(t *testing.T) {
	m := newModels(engine.NewHost(engine.Config{Models: fakeModels{}}))
	settings := func(mode, model string) event.Settings {
		s := event.Settings{Model: model}
		setMode(&s, mode)
		return s
	}
	v := &view{models: m, client: 1, choices: m.choicesOf(settings(modePlan, "p/plain"))}
	change := func(by int, s event.Settings) (kinds string) {
		for _, update := range v.render(event.Record{Event: event.SessionChanged{Settings: s, Client: event.Client{N: by}}}) {
			switch u := update.(type) {
			case CurrentModeUpdate:
				kinds += "mode " + u.CurrentModeID + " "
			case ConfigOptionUpdate:
				kinds += "options " + u.ConfigOptions[0].CurrentValue + " "
			}
		}
		return kinds
	}
	asked := settings(modeAuto, "p/plain")
	v.requested = []choices{m.choicesOf(asked)}
	for i, test := range []struct {
		by       int
		settings event.Settings
		want     string
	}{
		{2, settings(modePlan, "p/deep"), "options plan "},
		{1, asked, ""},
		{1, settings(modeAutoEdit, "p/plain"), "mode auto-edit options auto-edit "},
		{2, settings(modeAutoEdit, "p/plain"), ""},
		{2, settings(modeAsk, "p/plain"), "mode ask options ask "},
	} {
		if got := change(test.by, test.settings); got != test.want {
			t.Errorf("change %d: %q, want %q", i, got, test.want)
		}
	}
	change(2, settings(modeAsk, "p/deep"))
	if v.window != 5000 {
		t.Errorf("the window is %d tokens, not that of the new model", v.window)
	}
}

func TestCheckMode(t *testing.T) {
	for _, id := range []string{"", modePlan, modeFullAccess} {
		if err := CheckMode(id); err != nil {
			t.Error(err)
		}
	}
	err := CheckMode("yolo")
	if err == nil || err.Error() != `unknown mode "yolo": expected one of plan, ask, auto-edit, auto, full-access` {
		t.Error(err)
	}
}

package provider

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/catalog"
	"parley.dev/parley/internal/model/offline"
)

const (
	offlineName = "offline"
	DemoModel   = "offline/demo"
	scriptModel = "offline/script"
)

func (r *Registry) offline(name, id string) (engine.Model, error) {
	info := model.Info{ID: id, Provider: offlineName, Name: name, ContextWindow: catalog.DefaultContextWindow, MaxOutput: catalog.DefaultMaxOutput, Known: true}
	switch name {
	case DemoModel:
		return engine.Model{Provider: r.demo(), Info: info}, nil
	case scriptModel:
		player, err := r.player()
		if err != nil {
			return engine.Model{Info: info}, &model.Error{Kind: model.NotConfigured, Provider: offlineName, Message: err.Error()}
		}
		return engine.Model{Provider: player, Info: info}, nil
	}
	info.Known = false
	return engine.Model{Info: info}, &model.Error{
		Kind: model.NotConfigured, Provider: offlineName, Message: fmt.Sprintf("no offline model %q: there are demo and script", id),
	}
}

// player returns the one script of the process: it goes on where the last answer stopped.
func (r *Registry) player() (*offline.Player, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.script != nil {
		return r.script, nil
	}
	if r.settings.OfflineScript == "" {
		return nil, fmt.Errorf("%s plays a script: set PARLEY_OFFLINE_SCRIPT to its path", scriptModel)
	}
	script, err := offline.Load(r.settings.OfflineScript)
	if err != nil {
		return nil, err
	}
	r.script = script.Provider()
	return r.script, nil
}

// demo returns the demo model. Where it answers because no provider can be called, its first answer is reported,
// since clients cannot see that it is no real model.
func (r *Registry) demo() model.Provider {
	callable := func(e Endpoint) bool { return e.Usable() || r.byToken(e) }
	if r.warn == nil || r.settings.Model == DemoModel || r.gateway != nil || slices.ContainsFunc(r.Endpoints(), callable) {
		return offline.Demo()
	}
	return reportedDemo{offline.Demo(), r}
}

// reportedDemo is the demo where no provider is configured.
type reportedDemo struct {
	model.Provider
	models *Registry
}

// Stream requests an answer of the demo; see [model.Provider].
func (d reportedDemo) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	d.models.warned.Do(func() {
		d.models.warn("no provider is configured: the offline demo answers instead of a real model; set ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL, or PARLEY_MODEL")
	})
	return d.Provider.Stream(ctx, req)
}

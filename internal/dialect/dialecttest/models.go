package dialecttest

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/catalog"
	"parley.dev/parley/internal/model/offline"
)

// Models is the offline models. A dialect whose tests need others has a type of its own
// around it.
type Models struct {
	name string // of the default model
	// Script is what plays the script. It is loaded once; its answers are used up.
	Script func() (*offline.Player, error)
}

// NewModels returns the models of an environment.
func NewModels(getenv func(string) string) Models {
	return Models{cmp.Or(getenv("PARLEY_MODEL"), "offline/demo"), sync.OnceValues(func() (*offline.Player, error) {
		script, err := offline.Load(getenv("PARLEY_OFFLINE_SCRIPT"))
		if err != nil {
			return nil, err
		}
		return script.Provider(), nil
	})}
}

// Default returns the model of the environment, or the demo.
func (m Models) Default() string { return m.name }

// Names returns the offline models.
func (m Models) Names() []string { return []string{"offline/demo", "offline/script"} }

// Discover is nothing.
func (m Models) Discover(context.Context) []engine.Offer { return nil }

// Resolve knows the offline models.
func (m Models) Resolve(name string) (engine.Model, error) {
	provider, id, _ := strings.Cut(name, "/")
	resolved := engine.Model{Info: catalog.Lookup(provider, id)}
	if provider == "offline" {
		resolved.Info = model.Info{ID: id, Provider: provider, Name: name, ContextWindow: catalog.DefaultContextWindow, MaxOutput: catalog.DefaultMaxOutput, Known: true}
	}
	switch name {
	case "offline/demo":
		resolved.Provider = offline.Demo()
		return resolved, nil
	case "offline/script":
		player, err := m.Script()
		resolved.Provider = player
		return resolved, err
	}
	return resolved, &model.Error{Kind: model.NotConfigured, Provider: provider, Message: fmt.Sprintf("no provider is configured for model %q", name)}
}

// Offers is models by their names.
func Offers(models engine.Models, names ...string) []engine.Offer {
	var offers []engine.Offer
	for _, name := range names {
		m, _ := models.Resolve(name)
		offers = append(offers, engine.Offer{Name: name, Info: m.Info})
	}
	return offers
}

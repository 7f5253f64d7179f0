package loaf

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file handles models. The protocol knows three providers: what we know as openai is
// openai, everything else is a model of openrouter, as vendor/model.

// discovery is how long endpoints may take that are asked which models they have.
const discovery = 200 * time.Millisecond

// selection is the model that all sessions use from their next turn on.
type selection struct {
	name     string // as the engine calls it
	id       string // as clients do
	provider Provider
	thinking ThinkingLevel // what was chosen, as far as the model has it
}

func (s selection) wireProvider() *Provider {
	if s.id == "" {
		return nil
	}
	return &s.provider
}

func (c *conn) defaultModel() string { return cmp.Or(c.cfg.Flags.Model, c.cfg.Host.DefaultModel()) }

func (c *conn) selected() selection {
	k := c.cfg.Settings.get()
	name := k.Model
	if name == "" || c.cfg.Host.CheckModel(name) != nil { // a provider that is not enabled any more
		name = c.defaultModel()
	}
	provider, id := c.outward(name)
	info, _ := c.cfg.Host.ModelInfo(name)
	return selection{name, id, provider, fitting(k.thinking(), levelsOf(info.Thinking))}
}

// outward returns a model of ours as clients know it.
func (c *conn) outward(name string) (Provider, string) {
	info, _ := c.cfg.Host.ModelInfo(name)
	id := strings.TrimPrefix(name, info.Provider+"/")
	switch info.Provider {
	case "openai":
		return ProviderOpenAI, id
	case "openrouter":
		return ProviderOpenRouter, id
	}
	return ProviderOpenRouter, name
}

func (c *conn) providerOf(model string) *Provider {
	if model == "" {
		return nil
	}
	p, _ := c.outward(model)
	return &p
}

// choose makes the selection the session's.
func (c *conn) choose(s *event.Settings) {
	s.Model = c.selected().name
	s.Thinking = model.Thinking(strings.ToLower(string(c.cfg.Settings.get().thinking()))) // models get what they have of it
}

// confine makes calls need no approval, and confines them as the command line says.
func (c *conn) confine(s *event.Settings) {
	s.Mode, s.Asking, s.Sandbox, s.RefusedApprovals = "", approval.AskNever, c.cfg.Flags.Sandbox, nil
}

// offers returns every model as clients know it.
func (c *conn) offers(ctx context.Context) (models []Model, names []string) {
	ctx, cancel := context.WithTimeout(ctx, discovery)
	defer cancel()
	for _, o := range c.cfg.Host.Offers(ctx) {
		provider, id := c.outward(o.Name)
		m := Model{
			ID: id, Provider: provider, DisplayProvider: o.Info.Provider, Label: cmp.Or(o.Info.Name, id),
			Description: o.Info.Provider + " model " + o.Info.ID, ContextWindowTokens: o.Info.ContextWindow,
			SupportedThinkingLevels: levelsOf(o.Info.Thinking),
		}
		if len(m.SupportedThinkingLevels) > 0 {
			m.DefaultThinkingLevel = middle(m.SupportedThinkingLevels)
		}
		models, names = append(models, m), append(names, o.Name)
	}
	return models, names
}

// levelsOf returns the levels of a model that reasons, off included.
func levelsOf(levels []model.Thinking) []ThinkingLevel {
	if len(levels) == 0 {
		return []ThinkingLevel{ThinkingOff}
	}
	all := []ThinkingLevel{ThinkingOff}
	for _, l := range levels {
		all = append(all, ThinkingLevel(strings.ToUpper(string(l))))
	}
	return slices.Compact(all)
}

// fitting returns level if it is among levels, which are those of a model, else the model's
// default, which is the middle of its levels.
func fitting(level ThinkingLevel, levels []ThinkingLevel) ThinkingLevel {
	if slices.Contains(levels, level) {
		return level
	}
	return middle(levels)
}

func middle(levels []ThinkingLevel) ThinkingLevel { return levels[(len(levels)-1)/2] }

// modelList lists models (model.list): openai first.
func (c *conn) modelList(ctx context.Context, only Provider) ModelListResult {
	all, _ := c.offers(ctx)
	selected := c.selected()
	result := ModelListResult{
		Providers: c.enabledProviders(), Models: []Model{}, SelectedModel: selected.id, SelectedThinking: selected.thinking,
		SelectedProvider: selected.wireProvider(), SelectedOpenRouterProvider: c.cfg.Settings.get().routing(),
	}
	for _, provider := range []Provider{ProviderOpenAI, ProviderAntigravity, ProviderOpenRouter} {
		for _, m := range all {
			if m.Provider == provider && (only == "" || only == provider) {
				result.Models = append(result.Models, m)
			}
		}
	}
	return result
}

// enabledProviders returns those that have a model.
func (c *conn) enabledProviders() []Provider {
	var enabled []Provider
	for _, name := range c.cfg.Host.ModelNames() {
		if p, _ := c.outward(name); !slices.Contains(enabled, p) {
			enabled = append(enabled, p)
		}
	}
	if selected := c.selected(); selected.id != "" && !slices.Contains(enabled, selected.provider) {
		enabled = append(enabled, selected.provider)
	}
	slices.Sort(enabled)
	return enabled
}

// modelSelect chooses for all sessions, from their next turns on (model.select).
func (c *conn) modelSelect(ctx context.Context, id jsonrpc.ID, p *ModelSelectParams) {
	all, names := c.offers(ctx)
	i := slices.IndexFunc(all, func(m Model) bool { return m.Provider == p.Provider && m.ID == p.ModelID })
	name := ""
	if i >= 0 {
		name = names[i]
	} else if name = c.inward(p.Provider, p.ModelID); name == "" {
		c.fail(id, internal(KindUnknownModel, "unknown model for provider "+string(p.Provider)+": "+abridged(p.ModelID)))
		return
	}
	info, _ := c.cfg.Host.ModelInfo(name)
	level := fitting(ThinkingLevel(strings.ToUpper(p.ThinkingLevel)), levelsOf(info.Thinking))
	c.cfg.Settings.set(func(k *kept) {
		k.Model, k.Thinking, k.Routing = name, level, ""
		if p.Provider == ProviderOpenRouter {
			k.Routing = p.OpenRouterProvider
		}
	})
	for _, s := range c.sessions {
		if err := s.chat.client.Change(c.choose); err != nil {
			c.cfg.Log.Warn("model not changed", "session", s.id, "error", err)
		}
	}
	result := ModelSelectResult{p.ModelID, p.Provider, level, c.cfg.Settings.get().routing(), nil}
	c.compressed(id, p, result)
}

// inward returns a model that is not listed, may exist all the same, and can be called; "" if there is none.
func (c *conn) inward(provider Provider, id string) string {
	for _, name := range []string{string(provider) + "/" + id, id} {
		if _, plausible := c.cfg.Host.ModelInfo(name); plausible && c.cfg.Host.CheckModel(name) == nil {
			if p, _ := c.outward(name); p == provider {
				return name
			}
		}
	}
	return ""
}

// compressed answers model.select, after a compression if one was asked for.
func (c *conn) compressed(id jsonrpc.ID, p *ModelSelectParams, result ModelSelectResult) {
	if !p.CompressImmediately {
		c.reply(id, result)
		c.changed(ChangedModelSelected, "")
		return
	}
	s := c.sessions[p.SessionID]
	switch {
	case p.SessionID == "":
		c.fail(id, internal(KindMissingParam, "session_id is required when compress_immediately is true"))
		return
	case s == nil:
		c.fail(id, unknownSession(p.SessionID))
		return
	}
	c.compress(id, s, func(done CompactionCompleted) any {
		result.Compression = &Compression{
			Requested: true, Applied: done.Compressed, Reason: CompactionNone, EstimatedTokensBefore: done.EstimatedTokensBefore,
			EstimatedTokensAfter: done.EstimatedTokensAfter, ModelContextWindow: done.ModelContextWindow, TargetLimit: done.HighWatermarkLimit,
		}
		if done.Compressed {
			result.Compression.Reason = CompactionAuto
		}
		c.changed(ChangedModelSelected, p.SessionID)
		return result
	})
}

// openRouterProviders answers with the providers of a model; only the service itself knows them.
func (c *conn) openRouterProviders(id jsonrpc.ID, p *OpenRouterProvidersParams) {
	if !c.cfg.SignIn.HasKey("openrouter") {
		c.fail(id, internal(KindNoKey, "openrouter api key is not configured"))
		return
	}
	c.later(id, func(ctx context.Context) (any, error) {
		slugs, err := c.cfg.SignIn.Routes(ctx, p.ModelID)
		if err != nil {
			return nil, internal("", err.Error())
		}
		slices.Sort(slugs)
		return OpenRouterProvidersResult{p.ModelID, slugs}, nil
	})
}

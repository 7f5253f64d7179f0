package pisces

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// discovery is how long endpoints may take that are asked which models they have.
const discovery = 200 * time.Millisecond

func (c *conn) defaultModel() string {
	return cmp.Or(c.cfg.Flags.DefaultModel, c.cfg.Host.DefaultModel())
}

// wireModel returns a model of ours as clients know it; "" is the default.
func (c *conn) wireModel(name string) Model {
	if name == "" {
		name = c.defaultModel()
	}
	info, _ := c.cfg.Host.ModelInfo(name)
	m := modelOf(info)
	m.BaseURL, m.MaxTokens = c.cfg.BaseURL(m.Provider), engine.OutputCap(info)
	return m
}

// available returns the names of the models that can be asked, the default first.
func (c *conn) available(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, discovery)
	defer cancel()
	var names []string
	for _, o := range c.cfg.Host.Offers(ctx) {
		names = append(names, o.Name)
	}
	return names
}

func (c *conn) availableModels(ctx context.Context) AvailableModels {
	models := []Model{}
	for _, name := range c.available(ctx) {
		models = append(models, c.wireModel(name))
	}
	return AvailableModels{models}
}

// setModel chooses a model that can be asked (set_model).
func (c *conn) setModel(p SetModel) (any, error) {
	name := p.Provider + "/" + p.ModelID
	info, found := plausible(c.cfg.Host, name, p.Provider)
	err := c.cfg.Host.CheckModel(name)
	switch {
	case err != nil && found && info.Known:
		return nil, fmt.Errorf("No API key for %s", name) //nolint:staticcheck // the protocol's words
	case err != nil || !found:
		return nil, checked("Model not found: " + name)
	}
	return c.wireModel(name), c.useModel(name)
}

// useModel makes a model the session's; a level that it does not have becomes the nearest. After a
// model that does not reason, whose level is off, the level is that of new sessions.
func (c *conn) useModel(name string) error { return c.modelOfSession(c.session, name) }

func (c *conn) modelOfSession(s *session, name string) error {
	info, _ := c.cfg.Host.ModelInfo(name)
	before, _ := c.cfg.Host.ModelInfo(cmp.Or(s.eng.State().Settings.Model, c.defaultModel()))
	atStart := c.thinkingAtStart(name)
	return s.client.Change(func(s *event.Settings) {
		level := atStart
		if len(before.Thinking) > 0 {
			level = clamp(message.ThinkingLevel(s.Thinking), levelsOf(info))
		}
		s.Model, s.Thinking = name, model.Thinking(level)
	})
}

// cycleModel chooses the model after the present one; nil: there is no other (cycle_model).
func (c *conn) cycleModel(ctx context.Context) (any, error) {
	names, scoped := c.candidates(ctx)
	if len(names) <= 1 {
		return nil, nil
	}
	next := names[(slices.Index(names, c.modelName())+1)%len(names)]
	if err := c.useModel(next); err != nil {
		return nil, err
	}
	level := message.ThinkingLevel(c.session.eng.State().Settings.Thinking)
	return CycledModel{Model: c.wireModel(next), ThinkingLevel: level, IsScoped: scoped}, nil
}

// modelName returns the name of the session's model.
func (c *conn) modelName() string {
	if name := c.session.eng.State().Settings.Model; name != "" {
		return name
	}
	return c.defaultModel()
}

// candidates returns the models that cycle_model goes through: those that --models names, or all.
func (c *conn) candidates(ctx context.Context) (names []string, scoped bool) {
	names = c.available(ctx)
	if len(c.cfg.Flags.Models) == 0 {
		return names, false
	}
	var chosen []string
	for _, pattern := range c.cfg.Flags.Models {
		pattern, _ = splitLevel(pattern)
		for _, name := range matches(pattern, names) {
			if !slices.Contains(chosen, name) {
				chosen = append(chosen, name)
			}
		}
	}
	return chosen, true
}

// matches returns the names that a pattern stands for: the name itself, the id in it, or any
// that has the pattern in it.
func matches(pattern string, names []string) []string {
	pattern = strings.ToLower(pattern)
	kinds := make([][]string, 3)
	for _, name := range names {
		lower := strings.ToLower(name)
		_, id, _ := strings.Cut(lower, "/")
		switch {
		case lower == pattern:
			kinds[0] = append(kinds[0], name)
		case id == pattern:
			kinds[1] = append(kinds[1], name)
		case strings.Contains(lower, pattern):
			kinds[2] = append(kinds[2], name)
		}
	}
	for _, found := range kinds {
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// splitLevel returns a pattern without the thinking level after its colon, and the level.
func splitLevel(pattern string) (string, message.ThinkingLevel) {
	i := strings.LastIndexByte(pattern, ':')
	if i < 0 {
		return pattern, ""
	}
	if level := message.ThinkingLevel(pattern[i+1:]); level == message.ThinkingOff || slices.Contains(thinkingLevels, level) {
		return pattern[:i], level
	}
	return pattern, "" // ids may have colons
}

// FindModel returns the name of the model that a pattern stands for, and the thinking level that
// it asks for; "": there is none. Provider, if not "", has to be its provider.
func FindModel(host *engine.Host, pattern, provider string) (name string, level message.ThinkingLevel) {
	whole := pattern
	if provider != "" && !strings.HasPrefix(pattern, provider+"/") {
		whole = provider + "/" + pattern
	}
	if strings.Contains(whole, "/") {
		if info, ok := plausible(host, whole, provider); ok && info.Known {
			return whole, ""
		}
		// An endpoint that takes any id takes one with a level, too: the level comes first.
		if bare, level := splitLevel(whole); level != "" {
			if _, ok := plausible(host, bare, provider); ok {
				return bare, level
			}
		}
		if _, ok := plausible(host, whole, provider); ok {
			return whole, ""
		}
	}
	if bare, level := splitLevel(pattern); level != "" {
		if name, _ := FindModel(host, bare, provider); name != "" {
			return name, level
		}
	}
	names := host.ModelNames()
	if provider != "" {
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasPrefix(n, provider+"/") })
	}
	if found := matches(pattern, names); len(found) > 0 {
		return slices.MinFunc(found, func(a, b string) int { return len(a) - len(b) }), ""
	}
	return "", ""
}

// plausible reports whether a model may exist, at that provider if one is named.
func plausible(host *engine.Host, name, provider string) (model.Info, bool) {
	info, ok := host.ModelInfo(name)
	return info, ok && (provider == "" || info.Provider == provider)
}

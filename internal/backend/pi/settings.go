package pi

import (
	"context"
	"slices"
	"strings"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/model"
)

// name returns the name of a model for backend.Model; "" for none.
func (m *piModel) name() string {
	switch {
	case m == nil:
		return ""
	case m.Provider == "":
		return m.ID
	}
	return m.Provider + "/" + m.ID
}

// images reports whether the model takes images. What is not known is left to pi.
func (m *piModel) images() bool { return m == nil || slices.Contains(m.Input, "image") }

// thinking returns the levels of the model.
func (m *piModel) thinking() []model.Thinking {
	levels := []model.Thinking{model.Off}
	if !m.Reasoning {
		return levels
	}
	for _, level := range append(levels, model.Levels()...) {
		word, named := m.Levels[string(level)]
		switch {
		case named && word == nil, !named && level == model.XHigh:
			levels = slices.DeleteFunc(levels, func(l model.Thinking) bool { return l == level })
		case level != model.Off:
			levels = append(levels, level)
		}
	}
	return levels
}

// Offers implements backend.Agent.
func (a *agent) Offers(ctx context.Context) (backend.Offers, error) {
	var all modelsResult
	if err := a.command(ctx, "get_available_models", nil, &all); err != nil {
		return backend.Offers{}, err
	}
	o := backend.Offers{Model: a.state.Model.name()}
	for _, m := range all.Models {
		o.Models = append(o.Models, backend.Model{ID: m.name(), Name: m.Name, Window: m.ContextWindow, Thinking: m.thinking(), Images: m.images()})
	}
	return o, nil
}

// Change implements backend.Agent. Pi stores what is set as the default of new sessions, too.
func (a *agent) Change(ctx context.Context, to backend.Settings) error {
	if to.Model != "" && to.Model != a.state.Model.name() {
		provider, id, ok := strings.Cut(to.Model, "/")
		if !ok {
			provider, id = "", to.Model
		}
		if err := a.setModel(ctx, provider, id); err != nil {
			return err
		}
	}
	level := string(a.levelFor(to.Thinking))
	if level == "" || level == a.state.ThinkingLevel {
		return nil
	}
	return a.setThinking(ctx, level)
}

// levelFor returns the level of the current model for one that is wanted: that, or the nearest below, or the lowest.
func (a *agent) levelFor(wanted model.Thinking) model.Thinking {
	if wanted == "" || a.state.Model == nil {
		return wanted
	}
	levels := a.state.Model.thinking()
	order := append([]model.Thinking{model.Off}, model.Levels()...)
	for i := slices.Index(order, wanted); i >= 0; i-- {
		if slices.Contains(levels, order[i]) {
			return order[i]
		}
	}
	if len(levels) == 0 {
		return ""
	}
	return levels[0]
}

func (a *agent) setModel(ctx context.Context, provider, id string) error {
	var m piModel
	if err := a.command(ctx, "set_model", setModelParams{provider, id}, &m); err != nil {
		return err
	}
	return a.command(ctx, "get_state", nil, &a.state) // the level of thinking may be another one
}

func (a *agent) setThinking(ctx context.Context, level string) error {
	if err := a.command(ctx, "set_thinking_level", setThinkingParams{level}, nil); err != nil {
		return err
	}
	a.state.ThinkingLevel = level
	return nil
}

// command sends a command outside of a turn, and reads its data into result; nil: it is not wanted. *backend.Error, or the cause of ctx.
func (a *agent) command(ctx context.Context, name string, params, result any) error {
	if err := a.conn.Call(ctx, name, params, result); err != nil {
		return a.refused(name, err)
	}
	return nil
}

package drivers

import (
	"context"
	"iter"
	"maps"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/kind"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/sandbox"
)

// A watched back end adds to its agents what the configuration says, starts the first one alone, and stores what they offer.
type watched struct {
	backend.Backend
	name     string
	settings config.BackendSettings
	cache    *cache
	starts   *starts
}

// Open implements backend.Backend.
func (w watched) Open(ctx context.Context, o backend.Opening) (backend.Agent, error) {
	started, err := w.starts.begin(ctx, w.name)
	if err != nil {
		return nil, err
	}
	defer started()
	o.Settings = w.configured(o.Settings)
	a, err := w.Backend.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return watchedAgent{a, w, o.Confine}, nil
}

// configured returns settings with the options of the configuration that they do not have.
func (w watched) configured(s backend.Settings) backend.Settings {
	if len(w.settings.Config) > 0 {
		options := w.settings.Config.Texts()
		maps.Copy(options, s.Options)
		s.Options = options
	}
	return s
}

// A watchedAgent is an agent of a watched back end.
type watchedAgent struct {
	backend.Agent
	backend watched
	session sandbox.Policy
}

// Info implements backend.Agent.
func (w watchedAgent) Info() backend.Info {
	info := w.Agent.Info()
	info.OwnRules = w.backend.settings.Approvals == config.ApprovalsAgent
	confine := w.backend.settings.Confine
	info.Network = w.session.Level != sandbox.Full && !w.session.Network && (confine == kind.Outer || confine == kind.None)
	return info
}

// Change implements backend.Agent.
func (w watchedAgent) Change(ctx context.Context, to backend.Settings) error {
	return w.Agent.Change(ctx, w.backend.configured(to))
}

// Turn implements backend.Agent. After the first turn of an agent, and later once an hour, what it offers is stored.
func (w watchedAgent) Turn(ctx context.Context, p backend.Prompt) iter.Seq2[backend.Update, error] {
	return func(yield func(backend.Update, error) bool) {
		for u, err := range w.Agent.Turn(ctx, p) {
			if !yield(u, err) || err != nil {
				return
			}
		}
		if ctx.Err() != nil || !w.Alive() || w.backend.cache.fresh(w.backend.name) {
			return
		}
		ctx, cancel := context.WithTimeout(ctx, offersWait)
		defer cancel()
		_, _ = w.Offers(ctx) // what is not known is requested after a later turn
	}
}

// offersWait bounds how long an agent may take to report what it offers, after a turn.
const offersWait = time.Second

// Offers implements backend.Agent.
func (w watchedAgent) Offers(ctx context.Context) (backend.Offers, error) {
	o, err := w.Agent.Offers(ctx)
	if err == nil && (len(o.Models) > 0 || len(o.Options) > 0) {
		w.backend.cache.put(w.backend.name, o)
	}
	return o, err
}

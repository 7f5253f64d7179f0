package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
)

// This file asks endpoints which models they have, and remembers it for a while.

const (
	liveFor   = 30 * time.Second // how long an endpoint's list counts
	liveLimit = 10 * time.Second // how long an endpoint may take
)

// A live list is what an endpoint said of its models.
type live struct {
	mu      sync.Mutex
	asked   time.Time
	infos   []model.Info
	awaited bool          // somebody waited for the first list
	done    chan struct{} // closed when the last question was answered; nil: never asked
}

// ask makes sure that the list is fresh, or becomes it, and returns a channel that is closed then.
func (l *live) ask(lister model.Lister) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done != nil && time.Since(l.asked) < liveFor {
		return l.done
	}
	done := make(chan struct{})
	l.asked, l.done = time.Now(), done
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.Background(), liveLimit)
		defer cancel()
		infos, err := lister.Models(ctx)
		l.mu.Lock()
		defer l.mu.Unlock()
		if err == nil {
			l.infos = infos
		}
	}()
	return done
}

// await makes sure that there is a list, and waits for the first one, once, until ctx ends.
func (l *live) await(ctx context.Context, lister model.Lister) {
	done := l.ask(lister)
	l.mu.Lock()
	wait := !l.awaited
	l.awaited = true
	l.mu.Unlock()
	if !wait {
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// fresh reports whether await would neither request the list nor wait for it.
func (l *live) fresh() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.awaited && time.Since(l.asked) < liveFor
}

func (l *live) list() []model.Info {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.infos
}

// has is what the endpoint said of a model.
func (l *live) has(id string) (model.Info, bool) {
	for _, info := range l.list() {
		if info.ID == id {
			return info, true
		}
	}
	return model.Info{}, false
}

// Discover is the default model, what the catalogue knows of the providers that have a
// key, and what their endpoints say that they have.
func (m *models) Discover(ctx context.Context) []engine.Offer {
	var waits []<-chan struct{}
	for _, p := range m.all() {
		if !p.discoverable() {
			continue
		}
		if lister, ok := m.client(p).(model.Lister); ok {
			waits = append(waits, p.live.ask(lister))
		}
	}
	for _, wait := range waits {
		select {
		case <-wait:
		case <-ctx.Done():
		}
	}
	names := append([]string{m.Default()}, m.Names()...)
	for _, p := range m.all() {
		for _, info := range p.live.list() {
			names = append(names, p.name+"/"+info.ID)
		}
	}
	var offers []engine.Offer
	for _, name := range names {
		if name == unconfigured || strings.HasSuffix(name, "/") {
			continue // a default that cannot be called
		}
		if slices.ContainsFunc(offers, func(o engine.Offer) bool { return o.Name == name }) {
			continue
		}
		found, _ := m.Resolve(name) // what is known is returned all the same
		offers = append(offers, engine.Offer{Name: name, Info: found.Info})
	}
	return offers
}

// discoverable says whether p is worth asking: somebody configured it.
func (p provider) discoverable() bool { return p.key != "" || p.configured }

// withListed adds what the endpoint lists of a model to what the catalogue knows.
// It reports whether the endpoint says how long the window is.
func (p provider) withListed(info model.Info) (model.Info, bool) {
	own, ok := p.live.has(info.ID)
	if !ok {
		return info, false
	}
	if !info.Known {
		info.Name = cmp.Or(own.Name, info.Name)
	}
	if !info.Known || p.own() {
		info.ContextWindow = cmp.Or(own.ContextWindow, info.ContextWindow)
		info.MaxOutput = cmp.Or(own.MaxOutput, info.MaxOutput)
	}
	info.Known = true
	return info, p.own() && own.ContextWindow > 0
}

// list is what the endpoint of a provider says that it has.
func (m *models) list(ctx context.Context, name string) ([]model.Info, error) {
	for _, p := range m.all() {
		if p.name != name {
			continue
		}
		if lister, ok := m.client(p).(model.Lister); ok {
			ctx, cancel := context.WithTimeout(ctx, liveLimit)
			defer cancel()
			return lister.Models(ctx)
		}
	}
	return nil, fmt.Errorf("%s cannot be asked for its models", name)
}

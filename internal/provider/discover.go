package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
)

const (
	liveFor   = 30 * time.Second // how long an endpoint's list counts
	liveLimit = 10 * time.Second // how long an endpoint may take
)

// Discover returns the default model, the models that the catalogue knows of the providers that have a key, and
// those that their endpoints list, which are requested for it.
func (r *Registry) Discover(ctx context.Context) []engine.Offer {
	var waits []<-chan struct{}
	for _, e := range r.Endpoints() {
		if !e.discoverable() {
			continue
		}
		if lister, ok := r.client(e).(model.Lister); ok {
			waits = append(waits, e.live.ask(lister))
		}
	}
	for _, wait := range waits {
		select {
		case <-wait:
		case <-ctx.Done():
		}
	}
	names := append([]string{r.Default()}, r.Names()...)
	for _, e := range r.Endpoints() {
		for _, info := range e.live.list() {
			names = append(names, e.Name+"/"+info.ID)
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
		found, _ := r.Resolve(name) // what is known is returned all the same
		offers = append(offers, engine.Offer{Name: name, Info: found.Info})
	}
	return offers
}

// discoverable reports whether the list of e is of interest: e has a key, or is configured.
func (e Endpoint) discoverable() bool { return e.key != "" || e.configured }

// List requests the list of models of an endpoint, by its name.
func (r *Registry) List(ctx context.Context, name string) ([]model.Info, error) {
	for _, e := range r.Endpoints() {
		if e.Name != name {
			continue
		}
		if lister, ok := r.client(e).(model.Lister); ok {
			ctx, cancel := context.WithTimeout(ctx, liveLimit)
			defer cancel()
			return lister.Models(ctx)
		}
	}
	return nil, fmt.Errorf("%s cannot be asked for its models", name)
}

package provider

import (
	"slices"
	"strings"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/model"
)

// A Gateway is an endpoint that takes the names of all models.
type Gateway struct {
	Name    string
	BaseURL string // of its Chat Completions API
	Key     string
	Model   string                // its default; "": none
	Models  map[string]model.Info // what is known of its models, by id
}

// UseGateway sends every model but the offline ones to a gateway.
func (r *Registry) UseGateway(g Gateway) {
	r.gateway = &Endpoint{
		Name: g.Name, API: config.APIChat, BaseURL: g.BaseURL, key: g.Key, model: g.Model, infos: g.Models,
		whole: true, configured: true, live: &live{},
	}
}

// Lacks sets why a configured model cannot be called: it is the answer where no model is named and
// nothing else can be called.
func (r *Registry) Lacks(problem string) { r.lacking = problem }

// Gateway returns the endpoint that takes all models, if there is one.
func (r *Registry) Gateway() (Endpoint, bool) {
	if r.gateway == nil {
		return Endpoint{}, false
	}
	return *r.gateway, true
}

// strange reports whether a gateway lists its models and has none of the vendor that name begins
// with. It may take names that it does not list, of vendors that it has.
func (r *Registry) strange(gateway Endpoint, name string) bool {
	vendor, _, found := strings.Cut(name, "/")
	if _, known := gateway.infos[name]; known || !found || r.lists(gateway, name) != listLacks {
		return false
	}
	return !slices.ContainsFunc(gateway.live.list(), func(info model.Info) bool { return strings.HasPrefix(info.ID, vendor+"/") })
}

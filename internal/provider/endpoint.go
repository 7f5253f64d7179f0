package provider

import (
	"cmp"
	"time"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
)

// An Endpoint is where models can be called. It is a value: what a Registry returns does not change.
type Endpoint struct {
	Name    string
	API     string // config.APIChat, APIResponses or APIAnthropic
	BaseURL string // "": the usual one of the API
	KeyEnv  string // the variable that holds the key; "": no key is needed
	FromEnv bool   // the key is from the environment

	key     string
	bearer  bool // the key is sent as a bearer token also where the API has a header of its own for keys
	headers map[string]string
	model   string                          // the default, without the provider's name; "": the catalogue's
	models  map[string]config.ModelSettings // by id
	profile string                          // of package profile; "": it follows from the address or the name
	idle    time.Duration                   // how long it may send nothing; 0: the default of the API
	tier    string                          // of the service; "": the endpoint's own
	ttl     string                          // of what is cached; "": the endpoint's own
	problem string                          // why it cannot be called; "": nothing is wrong

	// whole reports that names of models are sent unchanged, with the provider: the endpoint is a gateway to many.
	whole bool
	infos map[string]model.Info // what the credentials of a gateway say of its models
	// configured reports that the configuration names the endpoint, so that it may have models that the
	// catalogue does not know.
	configured bool
	live       *live // its list of models
}

// with returns e changed by the configuration; usual is its built-in address.
func (e Endpoint) with(own config.ProviderSettings, usual string, getenv func(string) string) Endpoint {
	e.API = cmp.Or(own.API, e.API)
	if own.BaseURL != "" {
		e.BaseURL, e.problem = own.BaseURL, ""
		e = e.withAddress("providers."+e.Name+".base_url", usual)
	}
	e.KeyEnv = cmp.Or(own.APIKeyEnv, e.KeyEnv)
	e.model = own.Model
	e.profile = own.Profile
	e.configured = e.configured || own.BaseURL != ""
	e.idle, _ = time.ParseDuration(own.IdleTimeout) // it is checked
	e.tier, e.ttl = own.ServiceTier, own.CacheTTL
	e.models = own.Models
	return e.withHeaders(own.Headers, getenv)
}

// HasKey reports whether there is a key for e.
func (e Endpoint) HasKey() bool { return e.key != "" }

// Usable reports whether calls to e can be made at all: it has a key, or an address of its own and no
// need for one. The address comes from the configuration.
func (e Endpoint) Usable() bool {
	return e.key != "" || e.whole || e.configured && (e.KeyEnv == "" || len(e.headers) > 0)
}

// own reports whether e is a server of the user's: the address was given, or it needs no key. It may have
// models that the catalogue does not know, or with other windows.
func (e Endpoint) own() bool { return e.configured || e.KeyEnv == "" }

// EndpointOf returns the endpoint of a model that was resolved; false: the model is built in.
func (r *Registry) EndpointOf(info model.Info) (Endpoint, bool) {
	if r.gateway != nil && info.Provider == r.gateway.Name {
		return *r.gateway, true
	}
	return r.Endpoint(info.Provider)
}

// KnowsImages reports whether the catalogue or the configuration says if a model takes pictures: lists of
// endpoints do not.
func (r *Registry) KnowsImages(e Endpoint, id string) bool {
	return e.API == "" || e.models[id].Images != nil || r.info(e, id).Known
}

// Address returns where e is called.
func (e Endpoint) Address() string { return cmp.Or(e.BaseURL, usualAddresses.Get()[e.API]) }

// usualAddresses are those of the wires, where a provider names none.
var usualAddresses = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{config.APIAnthropic: "https://api.anthropic.com", config.APIResponses: "https://api.openai.com/v1", config.APIChat: "https://api.openai.com/v1"}
}}

package provider

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/cassette"
	"parley.dev/parley/internal/model/catalog"
	"parley.dev/parley/internal/model/offline"
	"parley.dev/parley/internal/model/profile"
	"parley.dev/parley/internal/signin"
)

// Options are of a Registry.
type Options struct {
	Settings config.Settings
	Getenv   func(string) string
	SignIn   *signin.Manager // has keys that users gave, and signs in to openai; nil: there are none, and there is no sign-in
	Windows  string          // the file that remembers context windows; "": they are not remembered
	Script   *offline.Script // what the model offline/script plays; nil: the file of the settings
	// Warn reports what the user should know of the models; nil: nothing is reported.
	Warn func(text string)
}

// A Registry finds models at the providers that can be called; it is the engine.Models of the program.
type Registry struct {
	settings  config.Settings
	endpoints []Endpoint // in order of preference
	gateway   *Endpoint  // takes every model that is not ours
	// lacking is the reason why a configured model cannot be called; "": it can be.
	lacking string

	signedIn *signin.Manager // nil: there are no sign-ins
	scripted bool            // there is a script to play

	mu      sync.Mutex                // guards what follows, and which providers there are
	clients map[string]model.Provider // by provider, made at first use
	script  *offline.Player
	tapes   map[string]*cassette.Player // what replay models play, by path

	recorder *cassette.Recorder // nil: nothing is recorded

	windows windows

	warn   func(text string) // nil: nothing is reported
	warned sync.Once         // that the demo answers
}

// New returns the providers that are built in or configured.
func New(o Options) *Registry {
	s, getenv := o.Settings, o.Getenv
	r := &Registry{settings: s, signedIn: o.SignIn, scripted: o.Script != nil || s.OfflineScript != "", warn: o.Warn, clients: map[string]model.Provider{}, tapes: map[string]*cassette.Player{}}
	if o.Script != nil {
		r.script = o.Script.Provider()
	}
	r.windows.path = o.Windows
	for _, b := range builtIn {
		e := Endpoint{Name: b.name, API: b.api, BaseURL: cmp.Or(getenv(b.urlEnv), b.baseURL), KeyEnv: b.keyEnv}
		e.configured = getenv(b.urlEnv) != ""
		if b.name == "openai" {
			e.whole = getenv(b.urlEnv) != "" && !profile.Official(getenv(b.urlEnv))
			e.API = cmp.Or(s.OpenAIAPI, e.API)
			if e.whole && s.OpenAIAPI == "" {
				e.API = config.APIChat // what compatible servers speak
			}
		}
		e = e.withAddress(b.urlEnv, b.baseURL)
		e = e.withVariables(getenv)
		if own, ok := s.Providers[b.name]; ok {
			e = e.with(own, b.baseURL, getenv)
		}
		r.add(e, getenv)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Providers)) {
		if !slices.ContainsFunc(r.endpoints, func(e Endpoint) bool { return e.Name == name }) {
			r.add(Endpoint{Name: name, API: config.APIChat}.with(s.Providers[name], "", getenv), getenv)
		}
	}
	r.useStored()
	return r
}

func (r *Registry) add(e Endpoint, getenv func(string) string) {
	if e.KeyEnv != "" && e.key == "" {
		e.key = getenv(e.KeyEnv)
		e.FromEnv = e.key != ""
	}
	e.live = &live{}
	r.endpoints = append(r.endpoints, e)
}

// Secrets returns every key that is known, to keep it out of the environments of programs that are started.
func (r *Registry) Secrets() []string {
	var keys []string
	for _, e := range r.Endpoints() {
		if e.key != "" {
			keys = append(keys, e.key)
		}
		keys = append(keys, e.headerSecrets()...)
	}
	if r.gateway != nil {
		keys = append(keys, r.gateway.key)
	}
	return keys
}

// Names returns the models that can be called, sorted.
func (r *Registry) Names() []string {
	names := []string{DemoModel}
	if r.scripted {
		names = append(names, scriptModel)
	}
	if r.gateway != nil {
		names = append(names, slices.Collect(maps.Keys(r.gateway.infos))...)
	}
	for _, e := range r.Endpoints() {
		if r.gateway != nil || e.problem != "" {
			continue
		}
		if e.key != "" || r.byToken(e) {
			for id := range catalog.IDs(e.Name) {
				names = append(names, e.Name+"/"+id)
			}
		}
		if e.Usable() || r.byToken(e) {
			for id := range e.models {
				names = append(names, e.Name+"/"+id)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

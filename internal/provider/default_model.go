package provider

import (
	"cmp"
	"fmt"
	"strings"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/catalog"
)

// unconfigured is the name of the default model where one was meant and cannot be called.
const unconfigured = "unconfigured"

// maxNamed bounds how many models of an endpoint an error names.
const maxNamed = 8

// Default returns the model where none is named: the setting's, else that of the first provider
// that can be called, else the offline demo, which says that it is one. Where an endpoint has
// several models and none is meant, the name ends with a slash, and Resolve says what to set.
func (r *Registry) Default() string {
	switch {
	case r.settings.Model != "":
		return r.settings.Model
	case r.scripted:
		return scriptModel
	case r.gateway != nil && r.gateway.model != "":
		return r.gateway.model
	}
	for _, e := range r.Endpoints() {
		if e.Usable() || r.byToken(e) {
			return e.Name + "/" + r.defaultOf(e)
		}
	}
	if r.lacking != "" {
		return unconfigured
	}
	return DemoModel
}

// SetDefault sets the model where none is named.
func (r *Registry) SetDefault(name string) { r.settings.Model = name }

// defaultOf returns the id of the default model of a provider; "": it cannot be known. An endpoint
// with an address of its own is asked what it has.
func (r *Registry) defaultOf(e Endpoint) string {
	standard := catalog.Default(e.Name)
	if e.model != "" || !e.configured && standard != "" {
		return cmp.Or(e.model, standard)
	}
	r.requestList(e)
	has := e.live.list()
	if _, ok := e.live.has(standard); ok {
		return standard
	}
	if len(has) == 1 {
		return has[0].ID
	}
	return ""
}

// undecided returns what to set where an endpoint has no default model.
func (r *Registry) undecided(e Endpoint) error {
	has := e.live.list()
	failed := &model.Error{Kind: model.NotConfigured, Provider: e.Name}
	if len(has) == 0 {
		failed.Message = fmt.Sprintf("%s does not list its models: set PARLEY_MODEL to %s/ and the id of one", e.place(), e.Name)
		return failed
	}
	var names []string
	for _, info := range has {
		names = append(names, info.ID)
	}
	failed.Message = fmt.Sprintf("%s has %d models (%s): set PARLEY_MODEL to one of them, such as %s/%s",
		e.place(), len(has), someOf(names), e.Name, names[0])
	return failed
}

// someOf names the first models of a list.
func someOf(names []string) string {
	if len(names) > maxNamed {
		return strings.Join(names[:maxNamed], ", ") + " …"
	}
	return strings.Join(names, ", ")
}

// place returns how e is called in messages to the user.
func (e Endpoint) place() string {
	if e.whole {
		return "the endpoint at OPENAI_BASE_URL"
	}
	return "provider " + e.Name
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/catalog"
	"parley.dev/parley/internal/model/offline"
)

// This file chooses the model where none is named.

// unconfigured is the name of the default model where one was meant and cannot be called.
const unconfigured = "unconfigured"

// maxNamed bounds how many models of an endpoint an error names.
const maxNamed = 8

// Default returns the model where none is named: the setting's, else that of the first provider
// that can be called, else the offline demo, which says that it is one. Where an endpoint has
// several models and none is meant, the name ends with a slash, and Resolve says what to set.
func (m *models) Default() string {
	switch {
	case m.settings.Model != "":
		return m.settings.Model
	case m.settings.OfflineScript != "":
		return scriptModel
	case m.gateway != nil && m.gateway.model != "":
		return m.gateway.model
	}
	for _, p := range m.all() {
		if p.usable() || m.byToken(p) {
			return p.name + "/" + m.defaultOf(p)
		}
	}
	if m.lacking != "" {
		return unconfigured
	}
	return demoModel
}

// defaultOf returns the id of the default model of a provider; "": it cannot be known. An endpoint
// with an address of its own is asked what it has.
func (m *models) defaultOf(p provider) string {
	standard := catalog.Default(p.name)
	if p.model != "" || !p.configured && standard != "" {
		return cmp.Or(p.model, standard)
	}
	m.requestList(p)
	has := p.live.list()
	if _, ok := p.live.has(standard); ok {
		return standard
	}
	if len(has) == 1 {
		return has[0].ID
	}
	return ""
}

// undecided says what to set where an endpoint has no default model.
func (m *models) undecided(p provider) error {
	has := p.live.list()
	failed := &model.Error{Kind: model.NotConfigured, Provider: p.name}
	if len(has) == 0 {
		failed.Message = fmt.Sprintf("%s does not list its models: set PARLEY_MODEL to %s/ and the id of one", p.place(), p.name)
		return failed
	}
	var names []string
	for _, info := range has {
		names = append(names, info.ID)
	}
	failed.Message = fmt.Sprintf("%s has %d models (%s): set PARLEY_MODEL to one of them, such as %s/%s",
		p.place(), len(has), someOf(names), p.name, names[0])
	return failed
}

// someOf names the first models of a list.
func someOf(names []string) string {
	if len(names) > maxNamed {
		return strings.Join(names[:maxNamed], ", ") + " …"
	}
	return strings.Join(names, ", ")
}

// place is the endpoint of p for the user.
func (p provider) place() string {
	if p.whole {
		return "the endpoint at OPENAI_BASE_URL"
	}
	return "provider " + p.name
}

// demo returns the demo model. Where nothing says that it is meant, its first answer is reported,
// since clients cannot see that it is no real model.
func (m *models) demo() model.Provider {
	if m.settings.Model == demoModel || m.warn == nil {
		return offline.Demo()
	}
	return reportedDemo{offline.Demo(), m}
}

// reportedDemo is the demo where no provider is configured.
type reportedDemo struct {
	model.Provider
	models *models
}

func (d reportedDemo) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	d.models.warned.Do(func() {
		d.models.warn("no provider is configured: the offline demo answers instead of a real model; set ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL, or PARLEY_MODEL")
	})
	return d.Provider.Stream(ctx, req)
}

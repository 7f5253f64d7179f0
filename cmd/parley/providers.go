package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/scaiflux"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/anthropic"
	"parley.dev/parley/internal/model/catalog"
	"parley.dev/parley/internal/model/offline"
	"parley.dev/parley/internal/model/openai"
	"parley.dev/parley/internal/model/profile"
	"parley.dev/parley/internal/signin"
)

// A provider is an endpoint that models can be asked at.
type provider struct {
	name    string
	api     string
	baseURL string // "": the wire's own
	key     string
	fromEnv bool                            // the key is from the environment
	keyEnv  string                          // the variable that holds the key; "": none is needed
	model   string                          // the default, without the provider's name; "": the catalogue's
	profile string                          // of package profile; "": the one of the address or the name
	headers map[string]string               // sent with each request
	bearer  bool                            // the key is sent as a bearer token also on a wire with a header of its own for keys
	idle    time.Duration                   // without a byte; 0: the wire's default
	tier    string                          // of the service; "": the endpoint's own
	ttl     string                          // of what is cached; "": the endpoint's own
	models  map[string]config.ModelSettings // by id
	problem string                          // why calls cannot be made; "": nothing is wrong
	// whole says that model names go to the endpoint as they are, provider and all: it is a
	// gateway that knows many providers.
	whole bool
	infos map[string]model.Info // what the gateway's credentials say of its models
	// configured says that somebody named the endpoint, so that it may have models that the
	// catalogue does not know.
	configured bool
	live       *live // what the endpoint says of its models
}

// builtIn is the providers that need no configuration but a key, in the order in which the
// default model is looked for.
var builtIn = []struct{ name, api, baseURL, keyEnv, urlEnv string }{
	{"anthropic", config.APIAnthropic, "", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"},
	{"openai", config.APIResponses, "", "OPENAI_API_KEY", "OPENAI_BASE_URL"},
	{"gemini", config.APIChat, "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", "GEMINI_BASE_URL"},
	{"openrouter", config.APIChat, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL"},
	{"deepseek", config.APIChat, "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL"},
	{"mistral", config.APIChat, "https://api.mistral.ai/v1", "MISTRAL_API_KEY", "MISTRAL_BASE_URL"},
	{"groq", config.APIChat, "https://api.groq.com/openai/v1", "GROQ_API_KEY", "GROQ_BASE_URL"},
	{"xai", config.APIChat, "https://api.x.ai/v1", "XAI_API_KEY", "XAI_BASE_URL"},
	{"moonshot", config.APIChat, "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY", "MOONSHOT_BASE_URL"},
	{"cerebras", config.APIChat, "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY", "CEREBRAS_BASE_URL"},
	{"zai", config.APIChat, "https://api.z.ai/api/paas/v4", "ZAI_API_KEY", "ZAI_BASE_URL"},
	{"ollama", config.APIChat, "http://localhost:11434/v1", "", "OLLAMA_BASE_URL"},
}

const (
	offlineName = "offline"
	demoModel   = "offline/demo"
	scriptModel = "offline/script"
)

// models is the engine.Models of the program.
type models struct {
	settings  config.Settings
	getenv    func(string) string
	providers []provider // in order of preference
	gateway   *provider  // takes every model that is not ours
	// lacking says why a model that somebody configured cannot be called; "": nothing is lacking.
	lacking string

	signedIn *signin.Manager // of openai; nil: nobody can be

	mu      sync.Mutex                // guards what follows, and which providers there are
	clients map[string]model.Provider // by provider, made at first use
	script  *offline.Player

	windows windows

	warn   func(text string) // for what the user should know of the models; nil: nothing is reported
	warned sync.Once         // that the demo answers
}

func newModels(s config.Settings, getenv func(string) string) *models {
	m := &models{settings: s, getenv: getenv, clients: map[string]model.Provider{}}
	for _, b := range builtIn {
		p := provider{name: b.name, api: b.api, baseURL: cmp.Or(getenv(b.urlEnv), b.baseURL), keyEnv: b.keyEnv}
		p.configured = getenv(b.urlEnv) != ""
		if b.name == "openai" {
			p.whole = getenv(b.urlEnv) != "" && !profile.Official(getenv(b.urlEnv))
			p.api = cmp.Or(s.OpenAIAPI, p.api)
			if p.whole && s.OpenAIAPI == "" {
				p.api = config.APIChat // what compatible servers speak
			}
		}
		p = p.withAddress(b.urlEnv, b.baseURL)
		p = p.withVariables(getenv)
		if own, ok := s.Providers[b.name]; ok {
			p = p.with(own, b.baseURL, getenv)
		}
		m.add(p, getenv)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Providers)) {
		if !slices.ContainsFunc(m.providers, func(p provider) bool { return p.name == name }) {
			m.add(provider{name: name, api: config.APIChat}.with(s.Providers[name], "", getenv), getenv)
		}
	}
	return m
}

func (p provider) with(own config.ProviderSettings, usual string, getenv func(string) string) provider {
	p.api = cmp.Or(own.API, p.api)
	if own.BaseURL != "" {
		p.baseURL, p.problem = own.BaseURL, ""
		p = p.withAddress("providers."+p.name+".base_url", usual)
	}
	p.keyEnv = cmp.Or(own.APIKeyEnv, p.keyEnv)
	p.model = own.Model
	p.profile = own.Profile
	p.configured = p.configured || own.BaseURL != ""
	p.idle, _ = time.ParseDuration(own.IdleTimeout) // it is checked
	p.tier, p.ttl = own.ServiceTier, own.CacheTTL
	p.models = own.Models
	return p.withHeaders(own.Headers, getenv)
}

func (m *models) add(p provider, getenv func(string) string) {
	if p.keyEnv != "" && p.key == "" {
		p.key = getenv(p.keyEnv)
		p.fromEnv = p.key != ""
	}
	p.live = &live{}
	m.providers = append(m.providers, p)
}

// useGateway sends every model but the offline ones to a ScaiGrid gateway.
func (m *models) useGateway(c scaiflux.Credentials) {
	if c.BaseURL == "" || c.APIKey == "" {
		m.lacking = c.Lacking
		return
	}
	p := provider{
		name: "scaigrid", api: config.APIChat, baseURL: strings.TrimSuffix(c.BaseURL, "/") + scaiflux.InferencePath,
		key: c.APIKey, model: c.Model, whole: true, configured: true, infos: map[string]model.Info{}, live: &live{},
	}
	for _, known := range c.Models {
		p.infos[known.ID] = model.Info{ContextWindow: known.ContextWindow, MaxOutput: known.MaxOutputTokens}
	}
	m.gateway = &p
}

// usable reports whether calls to p can be made at all: it has a key, or an address of its own and no
// need for one. The address is one that somebody gave.
func (p provider) usable() bool {
	return p.key != "" || p.whole || p.configured && (p.keyEnv == "" || len(p.headers) > 0)
}

// own reports whether p is a server of the user's: the address was given, or it needs no key. It may have
// models that the catalogue does not know, or with other windows.
func (p provider) own() bool { return p.configured || p.keyEnv == "" }

// secrets is every key that is known, to keep it out of children's environments.
func (m *models) secrets() []string {
	var keys []string
	for _, p := range m.all() {
		if p.key != "" {
			keys = append(keys, p.key)
		}
		keys = append(keys, p.headerSecrets()...)
	}
	if m.gateway != nil {
		keys = append(keys, m.gateway.key)
	}
	return keys
}

func (m *models) resolved(p provider, id string) (engine.Model, error) {
	m.discover(p, id)
	return m.resolvedAsKnown(p, id)
}

// resolvedAsKnown is resolved without a request to the endpoint.
func (m *models) resolvedAsKnown(p provider, id string) (engine.Model, error) {
	info, listed := p.withListed(m.info(p, id))
	if has, ok := p.live.has(id); ok && p.own() {
		m.windows.note(p, id, has.ContextWindow)
	}
	info = p.withSettings(p.withCachePrice(info))
	own := p.models[id]
	if window := m.windows.of(p, id, !listed && own.ContextWindow == 0); window > 0 && (own.ContextWindow == 0 || window < own.ContextWindow) {
		info.ContextWindow = window
	}
	if p.problem != "" {
		return engine.Model{Info: info}, &model.Error{Kind: model.NotConfigured, Provider: p.name, Message: p.problem}
	}
	found := engine.Model{Info: info, Open: p.own(), Pictures: p.profileOf(id).Pictures, MaxTools: p.profileOf(id).MaxTools}
	if m.byToken(p) {
		found.Provider = m.client(p)
		return found, nil
	}
	if p.keyEnv != "" && !p.usable() {
		return found, &model.Error{
			Kind: model.NotConfigured, Provider: p.name, Message: fmt.Sprintf("no key for %s: set %s", p.name, p.keyEnv),
		}
	}
	found.Provider = m.client(p)
	return found, nil
}

func (m *models) info(p provider, id string) model.Info {
	info := catalog.Lookup(p.name, id)
	if p.whole && !info.Known {
		if vendor, rest, found := strings.Cut(id, "/"); found {
			if known := catalog.Lookup(vendor, rest); known.Known {
				info = known
			}
		}
	}
	info.ID, info.Provider, info.API = id, p.name, p.api
	if listed, ok := p.infos[id]; ok {
		info.ContextWindow = cmp.Or(listed.ContextWindow, info.ContextWindow)
		info.MaxOutput = cmp.Or(listed.MaxOutput, info.MaxOutput)
	}
	return info
}

func (m *models) client(p provider) model.Provider {
	m.mu.Lock()
	defer m.mu.Unlock()
	name, byToken := p.name, m.byToken(p)
	if byToken {
		name += " by token" // who signs in later does not get the client that was made before
	}
	if c, ok := m.clients[name]; ok {
		return c
	}
	c := newClient(p)
	if byToken {
		c = tokenProvider{m.signedIn, func(token string) model.Provider {
			p.key = token
			return newClient(p)
		}}
	}
	c = m.windows.learnFrom(c, p)
	m.clients[name] = c
	return c
}

// compatibleProfile is the profile of a server of which nothing is known.
const compatibleProfile = "compatible"

// profileName returns the name of the profile that is set, or follows from the settings; "": none.
func (p provider) profileName() string {
	if p.whole {
		return cmp.Or(p.profile, compatibleProfile)
	}
	return p.profile
}

// profileWires are the names that package profile has for the wires.
var profileWires = map[string]profile.Wire{config.APIChat: profile.Chat, config.APIResponses: profile.Responses, config.APIAnthropic: profile.Messages}

// profileOf returns the profile of a model of p.
func (p provider) profileOf(id string) profile.Profile {
	at := profile.Endpoint{Wire: profileWires[p.api], Provider: p.name, BaseURL: p.baseURL, Profile: p.profileName()}
	if p.api == config.APIAnthropic {
		at.Profile = "" // of endpoints on the other wires
	}
	return profile.For(at, id)
}

func newClient(p provider) model.Provider {
	if p.api == config.APIAnthropic {
		o := anthropic.Options{Name: p.name, BaseURL: p.baseURL, APIKey: p.key, Headers: p.headers, IdleTimeout: p.idle, ServiceTier: p.tier, CacheTTL: p.ttl}
		if p.bearer {
			o.APIKey, o.Token = "", p.key
		}
		return anthropic.New(o)
	}
	o := openai.Options{
		Name: p.name, BaseURL: p.baseURL, APIKey: p.key, Profile: p.profileName(), Headers: p.headers, IdleTimeout: p.idle,
		ServiceTier: p.tier, CacheTTL: p.ttl,
	}
	if p.api == config.APIResponses {
		return openai.NewResponses(o)
	}
	return openai.NewChat(o)
}

func (m *models) offline(name, id string) (engine.Model, error) {
	info := model.Info{ID: id, Provider: offlineName, Name: name, ContextWindow: catalog.DefaultContextWindow, MaxOutput: catalog.DefaultMaxOutput, Known: true}
	switch name {
	case demoModel:
		return engine.Model{Provider: m.demo(), Info: info}, nil
	case scriptModel:
		player, err := m.player()
		if err != nil {
			return engine.Model{Info: info}, &model.Error{Kind: model.NotConfigured, Provider: offlineName, Message: err.Error()}
		}
		return engine.Model{Provider: player, Info: info}, nil
	}
	info.Known = false
	return engine.Model{Info: info}, &model.Error{
		Kind: model.NotConfigured, Provider: offlineName, Message: fmt.Sprintf("no offline model %q: there are demo and script", id),
	}
}

// player is the one script of the process: it goes on where the last answer stopped.
func (m *models) player() (*offline.Player, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.script != nil {
		return m.script, nil
	}
	if m.settings.OfflineScript == "" {
		return nil, fmt.Errorf("%s plays a script: set PARLEY_OFFLINE_SCRIPT to its path", scriptModel)
	}
	script, err := offline.Load(m.settings.OfflineScript)
	if err != nil {
		return nil, err
	}
	m.script = script.Provider()
	return m.script, nil
}

// Names is the models that can be called, sorted.
func (m *models) Names() []string {
	names := []string{demoModel}
	if m.settings.OfflineScript != "" {
		names = append(names, scriptModel)
	}
	if m.gateway != nil {
		names = append(names, slices.Collect(maps.Keys(m.gateway.infos))...)
	}
	for _, p := range m.all() {
		if m.gateway != nil || p.problem != "" {
			continue
		}
		if p.key != "" || m.byToken(p) {
			for id := range catalog.IDs(p.name) {
				names = append(names, p.name+"/"+id)
			}
		}
		if p.usable() || m.byToken(p) {
			for id := range p.models {
				names = append(names, p.name+"/"+id)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

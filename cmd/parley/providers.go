package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"parley.dev/parley/internal/dialect/scaiflux"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/anthropic"
	"parley.dev/parley/internal/model/catalog"
	"parley.dev/parley/internal/model/offline"
	"parley.dev/parley/internal/model/openai"
	"parley.dev/parley/internal/signin"
)

// The wires a provider can speak.
const (
	apiChat      = "chat"
	apiResponses = "responses"
	apiAnthropic = "anthropic"
)

// A provider is an endpoint that models can be asked at.
type provider struct {
	name    string
	api     string
	baseURL string // "": the wire's own
	key     string
	fromEnv bool   // the key is from the environment
	keyEnv  string // the variable that holds the key; "": none is needed
	model   string // the default, without the provider's name; "": the catalogue's
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
	{"anthropic", apiAnthropic, "", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"},
	{"openai", apiResponses, "", "OPENAI_API_KEY", "OPENAI_BASE_URL"},
	{"gemini", apiChat, "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", "GEMINI_BASE_URL"},
	{"openrouter", apiChat, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL"},
	{"deepseek", apiChat, "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL"},
	{"mistral", apiChat, "https://api.mistral.ai/v1", "MISTRAL_API_KEY", "MISTRAL_BASE_URL"},
	{"groq", apiChat, "https://api.groq.com/openai/v1", "GROQ_API_KEY", "GROQ_BASE_URL"},
	{"xai", apiChat, "https://api.x.ai/v1", "XAI_API_KEY", "XAI_BASE_URL"},
	{"ollama", apiChat, "http://localhost:11434/v1", "", "OLLAMA_BASE_URL"},
}

const (
	offlineName = "offline"
	demoModel   = "offline/demo"
	scriptModel = "offline/script"
)

// models is the engine.Models of the program.
type models struct {
	settings  Settings
	providers []provider // in order of preference
	gateway   *provider  // takes every model that is not ours

	signedIn *signin.Manager // of openai; nil: nobody can be

	mu      sync.Mutex                // guards what follows, and which providers there are
	clients map[string]model.Provider // by provider, made at first use
	script  *offline.Player
}

func newModels(s Settings, getenv func(string) string) *models {
	m := &models{settings: s, clients: map[string]model.Provider{}}
	for _, b := range builtIn {
		p := provider{name: b.name, api: b.api, baseURL: cmp.Or(getenv(b.urlEnv), b.baseURL), keyEnv: b.keyEnv}
		p.configured = getenv(b.urlEnv) != ""
		if b.name == "openai" {
			p.whole = getenv(b.urlEnv) != ""
			p.api = cmp.Or(s.OpenAIAPI, p.api)
			if p.whole && s.OpenAIAPI == "" {
				p.api = apiChat // what compatible servers speak
			}
		}
		if own, ok := s.Providers[b.name]; ok {
			p = p.with(own)
		}
		m.add(p, getenv)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Providers)) {
		if !slices.ContainsFunc(m.providers, func(p provider) bool { return p.name == name }) {
			m.add(provider{name: name, api: apiChat}.with(s.Providers[name]), getenv)
		}
	}
	return m
}

func (p provider) with(own ProviderSettings) provider {
	p.api = cmp.Or(own.API, p.api)
	p.baseURL = cmp.Or(own.BaseURL, p.baseURL)
	p.keyEnv = cmp.Or(own.APIKeyEnv, p.keyEnv)
	p.model = own.Model
	p.configured = p.configured || own.BaseURL != ""
	return p
}

func (m *models) add(p provider, getenv func(string) string) {
	if p.keyEnv != "" {
		p.key = getenv(p.keyEnv)
		p.fromEnv = p.key != ""
	}
	p.live = &live{}
	m.providers = append(m.providers, p)
}

// useGateway sends every model but the offline ones to a ScaiGrid gateway.
func (m *models) useGateway(c scaiflux.Credentials) {
	if c.BaseURL == "" || c.APIKey == "" {
		return
	}
	p := provider{
		name: "scaigrid", api: apiChat, baseURL: strings.TrimSuffix(c.BaseURL, "/") + scaiflux.InferencePath,
		key: c.APIKey, model: c.Model, whole: true, configured: true, infos: map[string]model.Info{}, live: &live{},
	}
	for _, known := range c.Models {
		p.infos[known.ID] = model.Info{ContextWindow: known.ContextWindow, MaxOutput: known.MaxOutputTokens}
	}
	m.gateway = &p
}

// usable says whether calls to p can be made at all.
func (p provider) usable() bool { return p.key != "" || p.whole }

// secrets is every key that is known, to keep it out of children's environments.
func (m *models) secrets() []string {
	var keys []string
	for _, p := range m.all() {
		if p.key != "" {
			keys = append(keys, p.key)
		}
	}
	if m.gateway != nil {
		keys = append(keys, m.gateway.key)
	}
	return keys
}

// Resolve finds a model: the offline ones, the gateway's, provider/model-id, or any id for
// an OpenAI-compatible server that was named by its base URL. "" is the default model.
func (m *models) Resolve(name string) (engine.Model, error) {
	if name == "" {
		name = m.Default()
	}
	if own, id, found := strings.Cut(name, "/"); found && own == offlineName {
		return m.offline(name, id)
	}
	if m.gateway != nil {
		return m.resolved(*m.gateway, name)
	}
	prefix, id, found := strings.Cut(name, "/")
	for _, p := range m.all() {
		if found && p.name == prefix {
			return m.resolved(p, id)
		}
	}
	for _, p := range m.all() {
		if p.whole && p.usable() {
			return m.resolved(p, name)
		}
	}
	if !found {
		if p, ok := m.knowing(name); ok {
			return m.resolved(p, name)
		}
	}
	return engine.Model{Info: catalog.Lookup(prefix, cmp.Or(id, name))}, &model.Error{
		Kind: model.NotConfigured, Provider: prefix,
		Message: fmt.Sprintf("no provider is configured for model %q: use provider/model-id with the provider's key in the environment, or set OPENAI_BASE_URL", name),
	}
}

// knowing is a provider that has the model of that id, one with a key if there is any.
func (m *models) knowing(id string) (provider, bool) {
	knows := func(p provider) bool {
		_, told := p.live.has(id)
		return told || catalog.Lookup(p.name, id).Known
	}
	for _, p := range m.all() {
		if p.usable() && knows(p) {
			return p, true
		}
	}
	i := slices.IndexFunc(m.all(), knows)
	if i < 0 {
		return provider{}, false
	}
	return m.all()[i], true
}

func (m *models) resolved(p provider, id string) (engine.Model, error) {
	found := engine.Model{Info: p.told(m.info(p, id)), Open: p.configured || p.keyEnv == ""}
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
	info.ID, info.Provider = id, p.name
	if told, ok := p.infos[id]; ok {
		info.ContextWindow = cmp.Or(told.ContextWindow, info.ContextWindow)
		info.MaxOutput = cmp.Or(told.MaxOutput, info.MaxOutput)
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
	m.clients[name] = c
	return c
}

func newClient(p provider) model.Provider {
	if p.api == apiAnthropic {
		return anthropic.New(anthropic.Options{Name: p.name, BaseURL: p.baseURL, APIKey: p.key})
	}
	o := openai.Options{Name: p.name, BaseURL: p.baseURL, APIKey: p.key, Compatible: p.name != "openai" || p.whole}
	if p.api == apiResponses {
		return openai.NewResponses(o)
	}
	return openai.NewChat(o)
}

func (m *models) offline(name, id string) (engine.Model, error) {
	info := model.Info{ID: id, Provider: offlineName, Name: name, ContextWindow: catalog.DefaultContextWindow, MaxOutput: catalog.DefaultMaxOutput, Known: true}
	switch name {
	case demoModel:
		return engine.Model{Provider: offline.Demo(), Info: info}, nil
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

// Default is the model where none is named: the setting's, else that of the first
// provider with a key, else the offline demo, which says that it is one.
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
		if p.key == "" && !m.byToken(p) {
			continue
		}
		if id := cmp.Or(p.model, catalog.Default(p.name)); id != "" {
			return p.name + "/" + id
		}
	}
	return demoModel
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
	for _, info := range catalog.All() {
		for _, p := range m.all() {
			if p.name == info.Provider && (p.key != "" || m.byToken(p)) && m.gateway == nil {
				names = append(names, p.name+"/"+info.ID)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

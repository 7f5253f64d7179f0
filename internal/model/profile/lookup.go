package profile

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"parley.dev/parley/internal/cache"
)

// Wire is a protocol that requests are sent in.
type Wire string

// The wires.
const (
	Chat      Wire = "chat"      // OpenAI's Chat Completions
	Responses Wire = "responses" // OpenAI's Responses
	Messages  Wire = "messages"  // Anthropic's Messages
)

// An Endpoint is where requests go.
type Endpoint struct {
	Wire     Wire
	Provider string // our name of it
	BaseURL  string // "": the wire's own
	Profile  string // the name of a row that a user chose; "": none was
}

// For returns the profile of a model at an endpoint: of the row that was chosen, else of the
// address, else of the provider's name, else of servers that resemble OpenAI's. On the Messages
// wire it is Anthropic's, whose form of requests is the same everywhere.
//
// Each request asks for it: what was looked up is kept.
func For(e Endpoint, model string) Profile {
	return profiles.Get(question{e, model}, lookUp)
}

// A question is for the profile of a model.
type question struct {
	at    Endpoint
	model string
}

// What was looked up: profiles, and the rows of addresses.
var (
	profiles = cache.Bounded[question, Profile]{Max: 100}
	hostRows = cache.Bounded[string, *row]{Max: 100}
)

func lookUp(q question) Profile {
	e, model := q.at, q.model
	r := e.row()
	p := r.Profile
	p.Name = r.name()
	for _, f := range families {
		if slices.Contains(strings.Fields(f.rows), p.Name) && matches(f.models, model) && !matches(f.except, model) {
			f.set(&p)
		}
	}
	return p
}

// Names returns the names of all rows.
func Names() []string {
	var all []string
	for i := range rows {
		all = append(all, rows[i].name())
	}
	return all
}

// Official reports whether baseURL is an address of OpenAI's own, or of OpenAI at Azure.
func Official(baseURL string) bool {
	r := byHost(baseURL)
	return r != nil && (r.name() == "openai" || r.name() == "azure")
}

// Hosted reports whether baseURL is an address of a provider in the table, not of a server of the user's.
func Hosted(baseURL string) bool {
	r := byHost(baseURL)
	return r != nil && !strings.HasPrefix(r.hosts, ":")
}

func (e Endpoint) row() *row {
	fallback := compatible
	if e.Wire == Messages {
		fallback = "anthropic"
	}
	if r := byName(e.Profile); r != nil {
		return r
	}
	if e.Wire != Messages {
		if r := byHost(e.BaseURL); r != nil {
			return r
		}
		if r := byName(e.Provider); r != nil {
			return r
		}
	}
	return byName(fallback)
}

func (r *row) name() string {
	name, _, _ := strings.Cut(r.names, " ")
	return name
}

func byName(name string) *row {
	for i := range rows {
		if name != "" && slices.Contains(strings.Fields(rows[i].names), name) {
			return &rows[i]
		}
	}
	return nil
}

func byHost(baseURL string) *row { return hostRows.Get(baseURL, hostRow) }

func hostRow(baseURL string) *row {
	at, err := url.Parse(baseURL)
	if err != nil || at.Host == "" {
		return nil
	}
	host := strings.ToLower(at.Hostname())
	for i := range rows {
		for _, known := range strings.Fields(rows[i].hosts) {
			if pattern, err := path.Match(known, host); pattern && err == nil || strings.HasSuffix(host, "."+known) || known == ":"+at.Port() {
				return &rows[i]
			}
		}
	}
	return nil
}

// matches reports whether one of patterns matches the id of a model.
func matches(patterns, id string) bool {
	id = strings.ToLower(id)
	name := id[strings.LastIndexByte(id, '/')+1:]
	for _, pattern := range strings.Fields(patterns) {
		text := name
		if strings.Contains(pattern, "/") {
			text = id
		}
		if ok, err := path.Match(pattern, text); ok && err == nil {
			return true
		}
	}
	return false
}

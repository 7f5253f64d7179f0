package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

// ProviderSettings adds a provider, or changes what is built in of one.
type ProviderSettings struct {
	API       string `json:"api,omitzero"`         // chat, responses or anthropic; default: chat
	BaseURL   string `json:"base_url,omitzero"`    // with its version
	APIKeyEnv string `json:"api_key_env,omitzero"` // the variable that holds the key
	Model     string `json:"model,omitzero"`       // its default, without the provider's name
	Profile   string `json:"profile,omitzero"`     // the endpoint that it resembles, by its name in package profile

	// Headers are sent with each request. ${NAME} in a value stands for the variable NAME.
	Headers     map[string]string        `json:"headers,omitzero"`
	IdleTimeout string                   `json:"idle_timeout,omitzero"` // how long it may send nothing, as in 20m; default: 5m
	ServiceTier string                   `json:"service_tier,omitzero"` // sent with each request: flex, priority and so on
	CacheTTL    string                   `json:"cache_ttl,omitzero"`    // how long cached parts of requests to Claude count: 5m or 1h; default: 5m
	Models      map[string]ModelSettings `json:"models,omitzero"`       // by id
}

// ModelSettings states what is not known of a model, or not right.
type ModelSettings struct {
	ContextWindow int              `json:"context_window,omitzero"` // tokens
	MaxOutput     int              `json:"max_output,omitzero"`     // tokens
	Images        *bool            `json:"images,omitzero"`
	Thinking      []model.Thinking `json:"thinking,omitzero"` // levels; empty: it does not reason
	Price         *model.Price     `json:"price,omitzero"`    // US dollars per million tokens
}

func (c *Config) checkProviders() error {
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		if api := c.Providers[name].API; api != "" && api != APIChat && api != APIResponses && api != APIAnthropic {
			return invalid("providers."+name+".api", fmt.Errorf("unknown value %q: expected chat, responses or anthropic", api))
		}
		if err := c.Providers[name].checkEndpoint("providers." + name); err != nil {
			return err
		}
		switch own := c.Providers[name].Profile; {
		case own == "":
		case c.Providers[name].API == APIAnthropic || c.Providers[name].API == "" && name == "anthropic":
			return invalid("providers."+name+".profile", errors.New("a provider with the api anthropic has no profile"))
		case !slices.Contains(profile.Names(), own):
			return invalid("providers."+name+".profile", fmt.Errorf("unknown value %q: expected one of %s", own, strings.Join(profile.Names(), ", ")))
		}
	}
	return nil
}

// The wires a provider can speak.
const (
	APIChat      = "chat"
	APIResponses = "responses"
	APIAnthropic = "anthropic"
)

// HourCached is a setting of how long what is cached counts.
const HourCached = "1h"

// minWindow is the smallest window that a model can work in, in tokens.
const minWindow = 2048

// checkEndpoint returns what is wrong with the address, the headers and the models; setting is their
// beginning. Variables that are not set are reported where they are needed: a provider that is not used
// needs none.
func (s ProviderSettings) checkEndpoint(setting string) error {
	if s.BaseURL != "" {
		if _, err := EndpointAddress(s.BaseURL, ""); err != nil {
			return invalid(setting+".base_url", err)
		}
	}
	if s.IdleTimeout != "" {
		if d, err := time.ParseDuration(s.IdleTimeout); err != nil || d < time.Second {
			return invalid(setting+".idle_timeout", fmt.Errorf("%q is not a time of at least a second, such as 20m", s.IdleTimeout))
		}
	}
	if strings.Trim(s.ServiceTier, "abcdefghijklmnopqrstuvwxyz_-") != "" {
		return invalid(setting+".service_tier", fmt.Errorf("%q is no name of a tier, such as flex or priority", s.ServiceTier))
	}
	if !slices.Contains([]string{"", "5m", HourCached}, s.CacheTTL) {
		return invalid(setting+".cache_ttl", fmt.Errorf("%q: expected 5m or 1h", s.CacheTTL))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		if !httpguts.ValidHeaderFieldName(name) {
			return invalid(setting+".headers."+name, errors.New("this cannot be the name of a header"))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.Models)) {
		if err := s.Models[id].check(setting + ".models." + id); err != nil {
			return err
		}
	}
	return nil
}

func (s ModelSettings) check(setting string) error {
	switch {
	case s.ContextWindow != 0 && s.ContextWindow < minWindow:
		return invalid(setting+".context_window", fmt.Errorf("%d tokens are too few: expected at least %d", s.ContextWindow, minWindow))
	case s.MaxOutput < 0:
		return invalid(setting+".max_output", fmt.Errorf("%d: expected a number of tokens", s.MaxOutput))
	case s.Price != nil && min(s.Price.Input, s.Price.Output, s.Price.CacheRead, s.Price.CacheWrite) < 0:
		return invalid(setting+".price", errors.New("a price cannot be negative"))
	}
	for _, level := range s.Thinking {
		if !slices.Contains(model.Levels(), level) && level != model.Off {
			return invalid(setting+".thinking", fmt.Errorf("unknown level %q: expected minimal, low, medium, high or xhigh", level))
		}
	}
	return nil
}

package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpguts"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

// This file is what the user says of endpoints besides their names: headers, variables, models.

// withAddress reads the address of p, which comes from a setting or a variable.
func (p provider) withAddress(source, usual string) provider {
	if p.baseURL == "" || p.baseURL == usual {
		return p
	}
	address, err := endpointAddress(p.baseURL, usual)
	if err != nil {
		p.problem = fmt.Sprintf("%s: %v", source, err)
		return p
	}
	p.baseURL = address
	return p
}

// withVariables adds what the variables of the provider's own SDKs say.
func (p provider) withVariables(getenv func(string) string) provider {
	switch p.name {
	case "anthropic":
		if token := getenv("ANTHROPIC_AUTH_TOKEN"); token != "" {
			p.key, p.keyEnv, p.bearer, p.fromEnv = token, "ANTHROPIC_AUTH_TOKEN", true, true
		}
	case "openai":
		for header, variable := range map[string]string{"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"} {
			if value := getenv(variable); value != "" && !p.whole {
				p.headers = withHeader(p.headers, header, value)
			}
		}
	}
	return p
}

func withHeader(headers map[string]string, name, value string) map[string]string {
	headers = maps.Clone(headers)
	if headers == nil {
		headers = map[string]string{}
	}
	headers[name] = value
	return headers
}

// withHeaders adds headers of the configuration, with the values of the variables that they name.
func (p provider) withHeaders(headers map[string]string, getenv func(string) string) provider {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		value, err := expand(headers[name], getenv)
		if err != nil {
			p.problem = cmp.Or(p.problem, fmt.Sprintf("providers.%s.headers.%s: %v", p.name, name, err))
			continue
		}
		p.headers = withHeader(p.headers, name, value)
	}
	return p
}

// reference matches ${NAME} and ${NAME:-default}.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)
})

// expand returns the value of a header with the variables that it names.
func expand(value string, getenv func(string) string) (string, error) {
	expanded, err := expandVariables(value, getenv)
	switch {
	case err != nil:
		return "", err
	case !httpguts.ValidHeaderFieldValue(expanded):
		return "", errors.New("the value cannot be sent in a header")
	}
	return expanded, nil
}

// expandVariables returns value with the variables that it names as ${NAME}, or as
// ${NAME:-default} with what to use for one that is not set.
func expandVariables(value string, getenv func(string) string) (string, error) {
	var missing []string
	expanded := reference().ReplaceAllStringFunc(value, func(found string) string {
		parts := reference().FindStringSubmatch(found)
		name, hasDefault, instead := parts[1], parts[2] != "", parts[3]
		if set := getenv(name); set != "" {
			return set
		}
		if !hasDefault {
			missing = append(missing, name)
		}
		return instead
	})
	if len(missing) > 0 {
		return "", fmt.Errorf("the variable %s is not set", missing[0])
	}
	return expanded, nil
}

// shortSecret is the length below which a word of a header is too common to be a secret, in bytes.
const shortSecret = 8

// headerSecrets returns what of the headers may be a secret.
func (p provider) headerSecrets() (secrets []string) {
	for _, value := range p.headers {
		for _, word := range append(strings.Fields(value), value) {
			if len(word) >= shortSecret {
				secrets = append(secrets, word)
			}
		}
	}
	return secrets
}

// withSettings replaces what the configuration states of a model.
func (p provider) withSettings(info model.Info) model.Info {
	own, ok := p.models[info.ID]
	if !ok {
		return info
	}
	info.Known = true
	info.ContextWindow = cmp.Or(own.ContextWindow, info.ContextWindow)
	info.MaxOutput = cmp.Or(own.MaxOutput, info.MaxOutput)
	if own.Images != nil {
		info.Images = *own.Images
	}
	if own.Thinking != nil {
		info.Thinking = slices.DeleteFunc(slices.Clone(own.Thinking), func(t model.Thinking) bool { return t == model.Off })
	}
	if own.Price != nil {
		info.Price = *own.Price
	}
	return info
}

// hourCached is a setting of how long what is cached counts.
const hourCached = "1h"

// withCachePrice returns info with the price of writing to the cache for an hour, which is twice that of
// input (Anthropic, "Prompt caching").
func (p provider) withCachePrice(info model.Info) model.Info {
	if p.ttl == hourCached && p.profileOf(info.ID).Cache == profile.Breakpoints {
		info.Price.CacheWrite, info.Price.Long.CacheWrite = 2*info.Price.Input, 2*info.Price.Long.Input
	}
	return info
}

// minWindow is the smallest window that a model can work in, in tokens.
const minWindow = 2048

// checkEndpoint returns what is wrong with the address, the headers and the models; setting is their
// beginning. Variables that are not set are reported where they are needed: a provider that is not used
// needs none.
func (s ProviderSettings) checkEndpoint(setting string) error {
	if s.BaseURL != "" {
		if _, err := endpointAddress(s.BaseURL, ""); err != nil {
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
	if !slices.Contains([]string{"", "5m", hourCached}, s.CacheTTL) {
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

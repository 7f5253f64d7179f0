package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

// This file is what the user says of endpoints besides their names: headers, variables, models.

// withAddress reads the address of p, which comes from a setting or a variable.
func (p provider) withAddress(source, usual string) provider {
	if p.baseURL == "" || p.baseURL == usual {
		return p
	}
	address, err := config.EndpointAddress(p.baseURL, usual)
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

// expand returns the value of a header with the variables that it names.
func expand(value string, getenv func(string) string) (string, error) {
	expanded, err := config.ExpandVariables(value, getenv)
	switch {
	case err != nil:
		return "", err
	case !httpguts.ValidHeaderFieldValue(expanded):
		return "", errors.New("the value cannot be sent in a header")
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

// withCachePrice returns info with the price of writing to the cache for an hour, which is twice that of
// input (Anthropic, "Prompt caching").
func (p provider) withCachePrice(info model.Info) model.Info {
	if p.ttl == config.HourCached && p.profileOf(info.ID).Cache == profile.Breakpoints {
		info.Price.CacheWrite, info.Price.Long.CacheWrite = 2*info.Price.Input, 2*info.Price.Long.Input
	}
	return info
}

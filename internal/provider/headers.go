package provider

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"parley.dev/parley/internal/config"
)

// withAddress reads the address of e, which comes from a setting or a variable.
func (e Endpoint) withAddress(source, usual string) Endpoint {
	if e.BaseURL == "" || e.BaseURL == usual {
		return e
	}
	address, err := config.EndpointAddress(e.BaseURL, usual)
	if err != nil {
		e.problem = fmt.Sprintf("%s: %v", source, err)
		return e
	}
	e.BaseURL = address
	return e
}

// withVariables adds what the variables of the provider's own SDKs say.
func (e Endpoint) withVariables(getenv func(string) string) Endpoint {
	switch e.Name {
	case "anthropic":
		if token := getenv("ANTHROPIC_AUTH_TOKEN"); token != "" {
			e.key, e.KeyEnv, e.bearer, e.FromEnv = token, "ANTHROPIC_AUTH_TOKEN", true, true
		}
	case "openai":
		for header, variable := range map[string]string{"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"} {
			if value := getenv(variable); value != "" && !e.whole {
				e.headers = withHeader(e.headers, header, value)
			}
		}
	}
	return e
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
func (e Endpoint) withHeaders(headers map[string]string, getenv func(string) string) Endpoint {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		value, err := expand(headers[name], getenv)
		if err != nil {
			e.problem = cmp.Or(e.problem, fmt.Sprintf("providers.%s.headers.%s: %v", e.Name, name, err))
			continue
		}
		e.headers = withHeader(e.headers, name, value)
	}
	return e
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
func (e Endpoint) headerSecrets() (secrets []string) {
	for _, value := range e.headers {
		for _, word := range append(strings.Fields(value), value) {
			if len(word) >= shortSecret {
				secrets = append(secrets, word)
			}
		}
	}
	return secrets
}

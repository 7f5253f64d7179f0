package config

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// TelemetrySettings is the collector that traces and metrics are sent to; without an endpoint the standard variables of
// OpenTelemetry name it, or there is none. docs/telemetry.md.
type TelemetrySettings struct {
	Endpoint string            `json:"endpoint,omitzero"` // of OTLP over HTTP
	Headers  map[string]string `json:"headers,omitzero"`  // values can name variables, as ${NAME}
	Content  bool              `json:"content,omitzero"`  // prompts, answers and tool calls are sent
}

func (t TelemetrySettings) check() error {
	if t.Endpoint != "" {
		u, err := url.Parse(t.Endpoint)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return invalid("telemetry.endpoint", errors.New("expected an address like http://localhost:4318")) // it may have a password
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Headers)) {
		if name == "" || http.CanonicalHeaderKey(name) != http.CanonicalHeaderKey(strings.TrimSpace(name)) || strings.ContainsAny(name+t.Headers[name], "\r\n") {
			return invalid("telemetry.headers", errors.New("a header has a name without spaces, and a value of one line"))
		}
	}
	return nil
}

// ExpandedHeaders returns the headers with the values of the variables that they name.
func (t TelemetrySettings) ExpandedHeaders(getenv func(string) string) (map[string]string, error) {
	headers := map[string]string{}
	for name, value := range t.Headers {
		expanded, err := ExpandVariables(value, getenv)
		if err != nil {
			return nil, invalid("telemetry.headers."+name, err)
		}
		headers[name] = expanded
	}
	return headers, nil
}

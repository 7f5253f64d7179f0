package target

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Settings are those of the configuration file. The standard variables of OpenTelemetry win over them.
type Settings struct {
	Endpoint string            // of a collector, for OTLP over HTTP; "": the variables name one, or nothing is exported
	Headers  map[string]string // of each request
	Content  bool              // prompts, answers and tool calls are exported
}

// A Signal is a kind of telemetry.
type Signal string

const (
	Traces  Signal = "traces"
	Metrics Signal = "metrics"
)

// A Target is what a signal is sent to.
type Target struct {
	URL         string // "": the signal is not exported
	Headers     map[string]string
	Timeout     time.Duration // of a request and its retries
	JSON, Gzip  bool
	Certificate string // a file with the CA of the server; "": those of the system
}

// A Configuration is what Settings and variables come to.
type Configuration struct {
	Traces, Metrics Target
	Content         bool
	Delta           func(monotonic bool) bool // whether an instrument reports what was added since the last report
}

// DefaultTimeout is the default of OTEL_EXPORTER_OTLP_TIMEOUT.
const DefaultTimeout = 10 * time.Second

// ErrOff is that nothing is exported.
var ErrOff = errors.New("telemetry is not configured")

// Configure returns what the settings and the variables come to. ErrOff; else the error names the variable that cannot be
// used.
func Configure(s Settings, getenv func(string) string) (c Configuration, err error) {
	if strings.EqualFold(strings.TrimSpace(getenv("OTEL_SDK_DISABLED")), "true") {
		return c, ErrOff
	}
	if c.Traces, err = targetOf(Traces, s, getenv); err != nil {
		return c, err
	}
	if c.Metrics, err = targetOf(Metrics, s, getenv); err != nil {
		return c, err
	}
	if c.Traces.URL == "" && c.Metrics.URL == "" {
		return c, ErrOff
	}
	c.Content = s.Content
	switch strings.ToLower(getenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")) {
	case "":
	case "true", "span_only", "span_and_event":
		c.Content = true
	default:
		c.Content = false
	}
	const preference = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"
	switch value := strings.ToLower(getenv(preference)); value {
	case "", "cumulative":
		c.Delta = func(bool) bool { return false }
	case "delta", "lowmemory":
		c.Delta = func(monotonic bool) bool { return monotonic }
	default:
		return c, unusable(preference, value, "cumulative, delta or lowmemory")
	}
	return c, nil
}

// targetOf returns the target of a signal.
func targetOf(s Signal, file Settings, getenv func(string) string) (t Target, err error) {
	upper := strings.ToUpper(string(s))
	exporter := "OTEL_" + upper + "_EXPORTER"
	switch value := getenv(exporter); value {
	case "", "otlp":
	case "none":
		return t, nil
	default:
		return t, unusable(exporter, value, "otlp or none")
	}
	const general = "OTEL_EXPORTER_OTLP_"
	own := general + upper + "_"
	get := func(name string) (variable, value string) {
		if value := strings.TrimSpace(getenv(own + name)); value != "" {
			return own + name, value
		}
		return general + name, strings.TrimSpace(getenv(general + name))
	}
	variable, address := get("ENDPOINT")
	if address == "" {
		variable, address = "telemetry.endpoint", file.Endpoint
	}
	if address == "" {
		return t, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return t, fmt.Errorf("%s is not an address like http://localhost:4318", variable) // it may have a password
	}
	if variable != own+"ENDPOINT" {
		u = u.JoinPath("v1", string(s))
	}
	t.URL = u.String()
	t.Headers = maps.Clone(file.Headers)
	if variable, text := get("HEADERS"); text != "" {
		if t.Headers, err = parseHeaders(text); err != nil {
			return t, fmt.Errorf("%s: %w", variable, err)
		}
	}
	switch variable, value := get("PROTOCOL"); value {
	case "", "http/protobuf":
	case "http/json":
		t.JSON = true
	default:
		return t, unusable(variable, value, "http/protobuf or http/json")
	}
	switch variable, value := get("COMPRESSION"); value {
	case "", "none":
	case "gzip":
		t.Gzip = true
	default:
		return t, unusable(variable, value, "gzip or none")
	}
	t.Timeout = DefaultTimeout
	if variable, value := get("TIMEOUT"); value != "" {
		ms, err := strconv.Atoi(value)
		if err != nil || ms <= 0 {
			return t, unusable(variable, value, "a number of milliseconds")
		}
		t.Timeout = time.Duration(ms) * time.Millisecond
	}
	_, t.Certificate = get("CERTIFICATE")
	return t, nil
}

// parseHeaders parses name=value pairs with commas between them, percent-encoded as W3C Baggage.
func parseHeaders(text string) (map[string]string, error) {
	headers := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || name == "" || err != nil || strings.ContainsAny(name+decoded, "\r\n") {
			return nil, errors.New("expected name=value pairs with commas between them") // a value may be a secret
		}
		headers[name] = decoded
	}
	return headers, nil
}

// unusable returns the error of a variable whose value cannot be used.
func unusable(variable, value, expected string) error {
	return fmt.Errorf("%s: cannot use %q: expected %s", variable, cmp.Or(value, "(empty)"), expected)
}

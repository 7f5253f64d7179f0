package target

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"
)

// TestConfigure: the standard variables decide, those of a signal before the general ones, and those before the file; what is
// wrong is named without the value of a secret.
func TestConfigure(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for name, tt := range map[string]struct {
		env             map[string]string
		file            Settings
		traces, metrics string
		problem         string
		check           func(Configuration) bool
	}{
		"nothing":   {problem: ErrOff.Error()},
		"variable":  {env: map[string]string{endpoint: "http://c:4318/"}, traces: "http://c:4318/v1/traces", metrics: "http://c:4318/v1/metrics"},
		"below":     {env: map[string]string{endpoint: "https://c/otlp"}, traces: "https://c/otlp/v1/traces", metrics: "https://c/otlp/v1/metrics"},
		"file":      {file: Settings{Endpoint: "http://c"}, traces: "http://c/v1/traces", metrics: "http://c/v1/metrics"},
		"both":      {env: map[string]string{endpoint: "http://d"}, file: Settings{Endpoint: "http://c"}, traces: "http://d/v1/traces", metrics: "http://d/v1/metrics"},
		"own":       {env: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c/x"}, traces: "http://c/x"},
		"disabled":  {env: map[string]string{endpoint: "http://c", "OTEL_SDK_DISABLED": "TRUE"}, problem: ErrOff.Error()},
		"no traces": {env: map[string]string{endpoint: "http://c", "OTEL_TRACES_EXPORTER": "none"}, metrics: "http://c/v1/metrics"},
		"neither":   {env: map[string]string{endpoint: "http://c", "OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none"}, problem: ErrOff.Error()},
		"exporter":  {env: map[string]string{endpoint: "http://c", "OTEL_METRICS_EXPORTER": "prometheus"}, problem: "OTEL_METRICS_EXPORTER"},
		"grpc": {
			env:     map[string]string{endpoint: "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
			problem: `OTEL_EXPORTER_OTLP_PROTOCOL: cannot use "grpc": expected http/protobuf or http/json`,
		},
		"no scheme": {env: map[string]string{endpoint: "secret:x@c"}, problem: endpoint + " is not an address like"},
		"timeout":   {env: map[string]string{endpoint: "http://c", "OTEL_EXPORTER_OTLP_TIMEOUT": "1s"}, problem: "OTEL_EXPORTER_OTLP_TIMEOUT"},
		"headers":   {env: map[string]string{endpoint: "http://c", "OTEL_EXPORTER_OTLP_HEADERS": "secret"}, problem: "OTEL_EXPORTER_OTLP_HEADERS: expected"},
		"a line":    {env: map[string]string{endpoint: "http://c", "OTEL_EXPORTER_OTLP_HEADERS": "a=secret%0d%0ax"}, problem: "OTEL_EXPORTER_OTLP_HEADERS: expected"},
		"zip":       {env: map[string]string{endpoint: "http://c", "OTEL_EXPORTER_OTLP_COMPRESSION": "zstd"}, problem: "OTEL_EXPORTER_OTLP_COMPRESSION"},
		"preference": {
			env:     map[string]string{endpoint: "http://c", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "both"},
			problem: "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE",
		},
		"all": {
			env: map[string]string{
				endpoint: "http://c", "OTEL_EXPORTER_OTLP_HEADERS": "a=b, c=d%20e", "OTEL_EXPORTER_OTLP_METRICS_HEADERS": "x=y", "OTEL_EXPORTER_OTLP_TIMEOUT": "1500",
				"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "delta",
			},
			file: Settings{Headers: map[string]string{"file": "1"}}, traces: "http://c/v1/traces", metrics: "http://c/v1/metrics",
			check: func(c Configuration) bool {
				return maps.Equal(c.Traces.Headers, map[string]string{"a": "b", "c": "d e"}) && maps.Equal(c.Metrics.Headers, map[string]string{"x": "y"}) &&
					c.Traces.JSON && !c.Metrics.JSON && c.Traces.Gzip && c.Traces.Timeout == 1500*time.Millisecond && c.Delta(true) && !c.Delta(false)
			},
		},
	} {
		c, err := Configure(tt.file, func(name string) string { return tt.env[name] })
		if tt.problem != "" {
			if err == nil || !strings.Contains(err.Error(), tt.problem) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: error %v, want %q without a secret", name, err, tt.problem)
			}
			if off := errors.Is(err, ErrOff); off != (tt.problem == ErrOff.Error()) {
				t.Errorf("%s: off: %v", name, off)
			}
			continue
		}
		if err != nil || c.Traces.URL != tt.traces || c.Metrics.URL != tt.metrics || tt.check != nil && !tt.check(c) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

package config_test

import (
	"maps"
	"strings"
	"testing"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
)

// TestTelemetry: the collector is an address, headers can name variables, and errors show no value.
func TestTelemetry(t *testing.T) {
	for text, want := range map[string]string{
		`{"telemetry":{"endpoint":"http://localhost:4318","headers":{"Authorization":"Bearer ${KEY}"},"content":true}}`: "",
		`{"telemetry":{"endpoint":"localhost:4318"}}`:                                                                   "telemetry.endpoint",
		`{"telemetry":{"endpoint":"grpc://secret:word@localhost"}}`:                                                     "telemetry.endpoint",
		`{"telemetry":{"headers":{"a":"secret\r\nword: x"}}}`:                                                           "telemetry.headers",
		`{"telemetry":{"headers":{" a":"x"}}}`:                                                                          "telemetry.headers",
		`{"telemetry":{"endpont":"http://localhost:4318"}}`:                                                             `did you mean "endpoint"?`,
	} {
		c, err := config.Load(configtest.Environment("HOME", t.TempDir(), "PARLEY_CONFIG", configtest.File(t, text)))
		switch {
		case want == "" && (err != nil || c.Telemetry.Endpoint != "http://localhost:4318" || !c.Telemetry.Content):
			t.Errorf("%s: %+v, %v", text, c.Telemetry, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret")):
			t.Errorf("%s: error %v, want %q without the value", text, err, want)
		}
	}
	s := config.TelemetrySettings{Headers: map[string]string{"authorization": "Bearer ${KEY}"}}
	got, err := s.ExpandedHeaders(func(name string) string { return map[string]string{"KEY": "abc"}[name] })
	if err != nil || !maps.Equal(got, map[string]string{"authorization": "Bearer abc"}) {
		t.Errorf("headers %v, %v", got, err)
	}
	if _, err := s.ExpandedHeaders(func(string) string { return "" }); err == nil || !strings.Contains(err.Error(), "KEY is not set") {
		t.Errorf("a variable that is not set: %v", err)
	}
}

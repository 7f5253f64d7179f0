package telemetry

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/telemetry/otlp"
)

// programEnv is the environment variable with the path of a collector to use instead of building one.
const programEnv = "PARLEY_OTEL_COLLECTOR"

// program returns the path of the collector, which is built from the module collector. It skips the test if it cannot be built,
// as on a machine without a network.
func program(t *testing.T) string {
	t.Helper()
	if path := os.Getenv(programEnv); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "collector")
	out, err := exec.CommandContext(t.Context(), "go", "-C", "collector", "build", "-ldflags", "-s -w", "-buildvcs=false", "-o", path, ".").CombinedOutput()
	if err != nil {
		t.Skipf("there is no collector: it cannot be built: %v; %s can name one\n%s", err, programEnv, out)
	}
	return path
}

// A collector is a running collector, and the file that it appends to.
type collector struct {
	*stage.Process
	url, file string
}

const configuration = `
receivers:
  otlp:
    protocols:
      http:
        endpoint: %s
exporters:
  file:
    path: %s
service:
  pipelines:
    traces: {receivers: [otlp], exporters: [file]}
    metrics: {receivers: [otlp], exporters: [file]}
`

// startCollector starts a collector and returns when it accepts connections.
func startCollector(t *testing.T) *collector {
	t.Helper()
	path := program(t)
	address := freeAddress(t)
	c := &collector{url: "http://" + address, file: filepath.Join(t.TempDir(), "received.jsonl")}
	config := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, configuration, address, c.file), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Process = stage.Launch(t, exec.Command(path, "--config", config))
	for { // until it listens; the test's time limit ends this
		if response, err := http.Post(c.url+"/v1/traces", "application/json", bytes.NewReader([]byte("{}"))); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return c
			}
		}
	}
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// received is what a collector has received.
type received struct {
	t         *testing.T
	spans     []otlp.Span
	resources []otlp.Resource
	metrics   map[string][]otlp.Metric
}

// received ends the collector and returns what it has received.
func (c *collector) received(t *testing.T) received {
	t.Helper()
	c.Signal(syscall.SIGINT)
	c.Code()
	data, err := os.ReadFile(c.file)
	if err != nil {
		t.Fatal(err)
	}
	r := received{t: t, metrics: map[string][]otlp.Metric{}}
	for line := range bytes.Lines(data) {
		var both struct {
			otlp.Traces
			otlp.Metrics
		}
		if err := json.Unmarshal(line, &both); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		for _, rs := range both.ResourceSpans {
			r.resources = append(r.resources, rs.Resource)
			for _, ss := range rs.ScopeSpans {
				r.spans = append(r.spans, ss.Spans...)
			}
		}
		for _, rm := range both.ResourceMetrics {
			for _, sm := range rm.ScopeMetrics {
				for _, m := range sm.Metrics {
					r.metrics[m.Name] = append(r.metrics[m.Name], m)
				}
			}
		}
	}
	return r
}

// span returns the span of that name that comes first; a name may be of several.
func (r received) span(name string) otlp.Span {
	r.t.Helper()
	var names []string
	var first otlp.Span
	found := false
	for _, s := range r.spans {
		names = append(names, s.Name)
		if s.Name == name && (!found || s.StartTime < first.StartTime) {
			first, found = s, true
		}
	}
	if !found {
		r.t.Fatalf("no span is named %q; there are %q", name, names)
	}
	return first
}

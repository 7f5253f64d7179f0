package telemetry

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/telemetry/otlp"
)

// TestDashboard: each metric in a query of docs/telemetry/dashboard.json is one that a session exports, named as Prometheus names
// it, and so is each label by which it is summed or selected.
func TestDashboard(t *testing.T) {
	c := newCollector(t)
	asked := records("t1", event.TurnStarted{}, event.QuestionAsked{ID: "q"}, event.QuestionAnswered{ID: "q"}, event.TurnEnded{Reason: event.TurnCompleted})
	export(t, c, nil, Settings{}, Session{ID: "s", Log: whole()}, Session{ID: "s2", Log: asked})
	labels := map[string][]string{} // by name
	for _, m := range c.metrics {
		for name, of := range prometheus(m) {
			labels[name] = append([]string{"job", "le"}, of...)
		}
	}
	data, err := os.ReadFile("../../docs/telemetry/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string `json:"title"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
		Templating struct {
			List []struct {
				Definition string `json:"definition"`
			} `json:"list"`
		} `json:"templating"`
	}
	if err := json.Unmarshal(data, &dashboard); err != nil {
		t.Fatal(err)
	}
	metric := regexp.MustCompile(`\b(?:gen_ai|parley)_[a-z_]+\s*[{,]`)
	selected := regexp.MustCompile(`[{,]\s*([a-z_]+)\s*(?:=|!=|=~)`)
	summed := regexp.MustCompile(`by \(([^)]*)\)`)
	used := map[string]bool{}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			expr := summed.ReplaceAllString(target.Expr, "")
			names := metric.FindAllString(expr, -1)
			if len(names) != 1 {
				t.Errorf("%s: %d metrics in %s", panel.Title, len(names), target.Expr)
				continue
			}
			name := strings.TrimRight(names[0], " {,")
			used[name] = true
			var want []string
			for _, m := range selected.FindAllStringSubmatch(expr, -1) {
				want = append(want, m[1])
			}
			for _, m := range summed.FindAllStringSubmatch(target.Expr, -1) {
				want = append(want, strings.Split(m[1], ", ")...)
			}
			if labels[name] == nil {
				t.Errorf("%s: there is no metric %s", panel.Title, name)
			}
			for _, label := range want {
				if labels[name] != nil && !slices.Contains(labels[name], label) {
					t.Errorf("%s: %s has no label %s; it has %q", panel.Title, name, label, labels[name])
				}
			}
		}
	}
	for _, v := range dashboard.Templating.List {
		for _, name := range metric.FindAllString(v.Definition, -1) {
			if name = strings.TrimRight(name, " {,"); labels[name] == nil {
				t.Errorf("a variable has the metric %s, which there is not", name)
			}
		}
	}
	if len(dashboard.Panels) < 9 || len(used) < 10 {
		t.Errorf("%d panels with %d metrics", len(dashboard.Panels), len(used))
	}
}

// prometheus returns the names that a metric has in Prometheus, each with its labels.
func prometheus(m otlp.Metric) map[string][]string {
	name := strings.ReplaceAll(m.Name, ".", "_")
	if m.Unit == "s" {
		name += "_seconds"
	}
	var labels []string
	add := func(attributes []otlp.KeyValue) {
		for _, a := range attributes {
			labels = append(labels, strings.ReplaceAll(a.Key, ".", "_"))
		}
	}
	if m.Histogram != nil {
		for _, p := range m.Histogram.Points {
			add(p.Attributes)
		}
		return map[string][]string{name + "_bucket": labels, name + "_sum": labels, name + "_count": labels}
	}
	for _, p := range m.Sum.Points {
		add(p.Attributes)
	}
	if m.Sum.Monotonic {
		name += "_total"
	}
	return map[string][]string{name: labels}
}

package metric

import (
	"strings"
	"testing"
	"time"
)

// TestPage: the format of Prometheus, with labels that need escapes, and a histogram whose buckets are cumulative.
func TestPage(t *testing.T) {
	var h Histogram
	for _, d := range []time.Duration{0, 100 * time.Microsecond, 101 * time.Microsecond, time.Second, time.Minute} {
		h.Observe(d)
	}
	var p Page
	p.Counter("parley_a_total", 3)
	p.Gauge("parley_b", 1.5, "x", `a"b\c`+"\n", "y", "2")
	p.Gauge("parley_b", -2, "x", "z", "y", "")
	p.Histogram("parley_c_seconds", &h, "outcome", "ack")
	var b strings.Builder
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if want := "# TYPE parley_a_total counter\nparley_a_total 3\n# TYPE parley_b gauge\n" +
		`parley_b{x="a\"b\\c\n",y="2"} 1.5` + "\n" + `parley_b{x="z",y=""} -2` + "\n# TYPE parley_c_seconds histogram\n"; !strings.HasPrefix(text, want) {
		t.Errorf("%s\ndoes not begin with\n%s", text, want)
	}
	for _, want := range []string{
		`parley_c_seconds_bucket{outcome="ack",le="0.0001"} 2`, `parley_c_seconds_bucket{outcome="ack",le="0.00025"} 3`,
		`parley_c_seconds_bucket{outcome="ack",le="0.5"} 3`, `parley_c_seconds_bucket{outcome="ack",le="1"} 4`,
		`parley_c_seconds_bucket{outcome="ack",le="30"} 4`, `parley_c_seconds_bucket{outcome="ack",le="+Inf"} 5`,
		`parley_c_seconds_sum{outcome="ack"} 61.000201`, `parley_c_seconds_count{outcome="ack"} 5`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%s\nhas no %s", text, want)
		}
	}
	if n := strings.Count(text, "parley_c_seconds_bucket{"); n != len(bounds)+1 {
		t.Errorf("%d buckets", n)
	}
}

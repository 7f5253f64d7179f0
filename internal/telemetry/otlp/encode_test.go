package otlp_test

import (
	"errors"
	"os"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	. "parley.dev/parley/internal/telemetry/otlp"
	"parley.dev/parley/internal/telemetry/otlp/otlptest"
)

var attributes = []KeyValue{
	{"text", Value{String: new("größe")}},
	{"empty", Value{String: new("")}},
	{"int", Value{Int: new(int64(-7))}},
	{"large", Value{Int: new(int64(1 << 60))}},
	{"yes", Value{Bool: new(true)}},
	{"no", Value{Bool: new(false)}},
	{"double", Value{Double: new(0.25)}},
	{"zero", Value{Double: new(0.0)}},
	{"list", Value{Array: &Array{[]Value{{String: new("a")}, {String: new("b")}}}}},
}

const (
	first  = 1767323045000000001
	second = 1767323046000000002
)

var traces = Traces{[]ResourceSpans{{
	Resource: Resource{attributes}, SchemaURL: "https://s/1",
	ScopeSpans: []ScopeSpans{{
		Scope: Scope{"scope", "1.2.3"}, SchemaURL: "https://s/2",
		Spans: []Span{
			{
				TraceID: ID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, SpanID: ID{1, 2, 3, 4, 5, 6, 7, 8}, ParentSpanID: ID{8, 7, 6, 5, 4, 3, 2, 1},
				TraceState: "a=b", Name: "first", Kind: KindClient, StartTime: first, EndTime: second, Attributes: attributes,
				DroppedAttributes: 300, DroppedEvents: 4, Flags: 1, Status: Status{"failed", StatusError},
				Events: []Event{{1767323045500000003, "retry", []KeyValue{{"n", Value{Int: new(int64(1))}}}}, {}},
			},
			{Name: "second"},
		},
	}},
}}}

var metrics = Metrics{[]ResourceMetrics{{
	Resource: Resource{attributes},
	ScopeMetrics: []ScopeMetrics{{
		Scope: Scope{Name: "scope"},
		Metrics: []Metric{
			{Name: "sum", Description: "what it counts", Unit: "{turn}", Sum: &Sum{Temporality: Cumulative, Monotonic: true, Points: []NumberPoint{
				{StartTime: first, Time: second, Int: new(int64(-3)), Attributes: attributes}, {Int: new(int64(0))}, {Double: new(0.0)}, {Double: new(2.5)},
			}}},
			{Name: "histogram", Histogram: &Histogram{Temporality: Delta, Points: []HistogramPoint{
				{
					StartTime: first, Time: second, Count: 3, Sum: new(4.5), Min: new(0.0), Max: new(3.0),
					Bounds: []float64{0, 0.5, 1}, BucketCounts: []Count{0, 1, 2, 0}, Attributes: attributes,
				},
				{},
			}}},
		},
	}},
}}}

// TestEncodings compares both encodings with those of pdata v1.71.0, the library of the OpenTelemetry Collector, of the same messages.
// It writes fields of Protocol Buffers from the last to the first.
func TestEncodings(t *testing.T) {
	for name, message := range map[string]any{"traces": &traces, "metrics": &metrics} {
		empty := func() any { return reflect.New(reflect.TypeOf(message).Elem()).Interface() }
		binary, text := read(t, name+".pb"), read(t, name+".json")
		theirs, ours := empty(), empty()
		if err := errors.Join(otlptest.Protobuf(binary, theirs), otlptest.Protobuf(Protobuf(message), ours)); err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(message, theirs); diff != "" {
			t.Errorf("%s in protobuf, of pdata:\n%s", name, diff)
		}
		if diff := cmp.Diff(message, ours); diff != "" {
			t.Errorf("%s in protobuf:\n%s", name, diff)
		}
		got, err := JSON(message)
		if err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(members(t, text), members(t, got)); diff != "" {
			t.Errorf("%s in JSON, -want +got:\n%s", name, diff)
		}
		ours = empty()
		if err := json.Unmarshal(got, ours, json.RejectUnknownMembers(true)); err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(message, ours); diff != "" {
			t.Errorf("%s in JSON:\n%s", name, diff)
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func members(t *testing.T, text []byte) (all any) {
	t.Helper()
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return all
}

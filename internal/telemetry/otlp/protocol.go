// Package otlp is messages of the OpenTelemetry protocol, and their two encodings. It has what this program sends, and sends nothing
// itself.
package otlp

// This file is a transcription of trace/v1/trace.proto, metrics/v1/metrics.proto, resource/v1/resource.proto and common/v1/common.proto
// of opentelemetry-proto 1.9. The tag pb has the number of a field, and "fixed" for integers of a fixed size. Members that are empty are
// not sent, except those that are pointers, and messages that are no lists.

// Traces is TracesData, and an ExportTraceServiceRequest.
type Traces struct {
	ResourceSpans []ResourceSpans `json:"resourceSpans,omitzero" pb:"1"`
}

// ResourceSpans is spans of one resource.
type ResourceSpans struct {
	Resource   Resource     `json:"resource" pb:"1"`
	ScopeSpans []ScopeSpans `json:"scopeSpans,omitzero" pb:"2"`
	SchemaURL  string       `json:"schemaUrl,omitzero" pb:"3"`
}

// A Resource is what produced telemetry.
type Resource struct {
	Attributes []KeyValue `json:"attributes,omitzero" pb:"1"`
}

// ScopeSpans is spans of one library.
type ScopeSpans struct {
	Scope     Scope  `json:"scope" pb:"1"`
	Spans     []Span `json:"spans,omitzero" pb:"2"`
	SchemaURL string `json:"schemaUrl,omitzero" pb:"3"`
}

// A Scope is an InstrumentationScope.
type Scope struct {
	Name    string `json:"name,omitzero" pb:"1"`
	Version string `json:"version,omitzero" pb:"2"`
}

// A Span is an operation within a trace.
type Span struct {
	TraceID           ID         `json:"traceId,omitzero" pb:"1"`
	SpanID            ID         `json:"spanId,omitzero" pb:"2"`
	TraceState        string     `json:"traceState,omitzero" pb:"3"`
	ParentSpanID      ID         `json:"parentSpanId,omitzero" pb:"4"`
	Name              string     `json:"name,omitzero" pb:"5"`
	Kind              Kind       `json:"kind,omitzero" pb:"6"`
	StartTime         uint64     `json:"startTimeUnixNano,string,omitzero" pb:"7,fixed"` // nanoseconds since 1970
	EndTime           uint64     `json:"endTimeUnixNano,string,omitzero" pb:"8,fixed"`   // nanoseconds since 1970
	Attributes        []KeyValue `json:"attributes,omitzero" pb:"9"`
	DroppedAttributes uint32     `json:"droppedAttributesCount,omitzero" pb:"10"`
	Events            []Event    `json:"events,omitzero" pb:"11"`
	DroppedEvents     uint32     `json:"droppedEventsCount,omitzero" pb:"12"`
	Status            Status     `json:"status" pb:"15"`
	Flags             uint32     `json:"flags,omitzero" pb:"16,fixed"`
}

// A Kind is a SpanKind.
type Kind int32

const (
	KindInternal Kind = 1
	KindServer   Kind = 2
	KindClient   Kind = 3
	KindProducer Kind = 4
	KindConsumer Kind = 5
)

// An Event is one within a span.
type Event struct {
	Time       uint64     `json:"timeUnixNano,string,omitzero" pb:"1,fixed"` // nanoseconds since 1970
	Name       string     `json:"name,omitzero" pb:"2"`
	Attributes []KeyValue `json:"attributes,omitzero" pb:"3"`
}

// A Status is that of a span.
type Status struct {
	Message string     `json:"message,omitzero" pb:"2"`
	Code    StatusCode `json:"code,omitzero" pb:"3"`
}

// A StatusCode is whether a span failed; 0: it did not say.
type StatusCode int32

const (
	StatusOK    StatusCode = 1
	StatusError StatusCode = 2
)

// A KeyValue is an attribute.
type KeyValue struct {
	Key   string `json:"key,omitzero" pb:"1"`
	Value Value  `json:"value" pb:"2"`
}

// A Value is an AnyValue: one of its members is not nil.
type Value struct {
	String *string  `json:"stringValue,omitzero" pb:"1"`
	Bool   *bool    `json:"boolValue,omitzero" pb:"2"`
	Int    *int64   `json:"intValue,string,omitzero" pb:"3"`
	Double *float64 `json:"doubleValue,omitzero" pb:"4"`
	Array  *Array   `json:"arrayValue,omitzero" pb:"5"`
}

// An Array is an ArrayValue.
type Array struct {
	Values []Value `json:"values,omitzero" pb:"1"`
}

// Metrics is MetricsData, and an ExportMetricsServiceRequest.
type Metrics struct {
	ResourceMetrics []ResourceMetrics `json:"resourceMetrics,omitzero" pb:"1"`
}

// ResourceMetrics is metrics of one resource.
type ResourceMetrics struct {
	Resource     Resource       `json:"resource" pb:"1"`
	ScopeMetrics []ScopeMetrics `json:"scopeMetrics,omitzero" pb:"2"`
	SchemaURL    string         `json:"schemaUrl,omitzero" pb:"3"`
}

// ScopeMetrics is metrics of one library.
type ScopeMetrics struct {
	Scope     Scope    `json:"scope" pb:"1"`
	Metrics   []Metric `json:"metrics,omitzero" pb:"2"`
	SchemaURL string   `json:"schemaUrl,omitzero" pb:"3"`
}

// A Metric has a Sum or a Histogram.
type Metric struct {
	Name        string     `json:"name,omitzero" pb:"1"`
	Description string     `json:"description,omitzero" pb:"2"`
	Unit        string     `json:"unit,omitzero" pb:"3"`
	Sum         *Sum       `json:"sum,omitzero" pb:"7"`
	Histogram   *Histogram `json:"histogram,omitzero" pb:"9"`
}

// A Temporality is an AggregationTemporality.
type Temporality int32

const (
	Delta      Temporality = 1
	Cumulative Temporality = 2
)

// A Sum is a metric that is added up.
type Sum struct {
	Points      []NumberPoint `json:"dataPoints,omitzero" pb:"1"`
	Temporality Temporality   `json:"aggregationTemporality,omitzero" pb:"2"`
	Monotonic   bool          `json:"isMonotonic,omitzero" pb:"3"`
}

// A NumberPoint is a NumberDataPoint: it has a Double or an Int.
type NumberPoint struct {
	StartTime  uint64     `json:"startTimeUnixNano,string,omitzero" pb:"2,fixed"` // nanoseconds since 1970
	Time       uint64     `json:"timeUnixNano,string,omitzero" pb:"3,fixed"`      // nanoseconds since 1970
	Double     *float64   `json:"asDouble,omitzero" pb:"4"`
	Int        *int64     `json:"asInt,string,omitzero" pb:"6,fixed"`
	Attributes []KeyValue `json:"attributes,omitzero" pb:"7"`
}

// A Histogram is a metric of distributions.
type Histogram struct {
	Points      []HistogramPoint `json:"dataPoints,omitzero" pb:"1"`
	Temporality Temporality      `json:"aggregationTemporality,omitzero" pb:"2"`
}

// A HistogramPoint is a HistogramDataPoint.
type HistogramPoint struct {
	StartTime    uint64     `json:"startTimeUnixNano,string,omitzero" pb:"2,fixed"` // nanoseconds since 1970
	Time         uint64     `json:"timeUnixNano,string,omitzero" pb:"3,fixed"`      // nanoseconds since 1970
	Count        uint64     `json:"count,string,omitzero" pb:"4,fixed"`
	Sum          *float64   `json:"sum,omitzero" pb:"5"`
	BucketCounts []Count    `json:"bucketCounts,omitzero" pb:"6,fixed"`
	Bounds       []float64  `json:"explicitBounds,omitzero" pb:"7"`
	Attributes   []KeyValue `json:"attributes,omitzero" pb:"9"`
	Min          *float64   `json:"min,omitzero" pb:"11"`
	Max          *float64   `json:"max,omitzero" pb:"12"`
}

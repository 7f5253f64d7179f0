package telemetry

import (
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"parley.dev/parley/internal/telemetry/otlp"
)

// attributesOf returns attributes as OTLP has them.
func attributesOf(attributes []attribute.KeyValue) []otlp.KeyValue {
	all := make([]otlp.KeyValue, 0, len(attributes))
	for _, a := range attributes {
		all = append(all, otlp.KeyValue{Key: valid(string(a.Key)), Value: valueOf(a.Value)})
	}
	return all
}

func valueOf(v attribute.Value) otlp.Value {
	switch v.Type() {
	case attribute.BOOL:
		return otlp.Value{Bool: new(v.AsBool())}
	case attribute.INT64:
		return otlp.Value{Int: new(v.AsInt64())}
	case attribute.FLOAT64:
		return otlp.Value{Double: new(v.AsFloat64())}
	case attribute.STRINGSLICE:
		list := &otlp.Array{}
		for _, s := range v.AsStringSlice() {
			list.Values = append(list.Values, otlp.Value{String: new(valid(s))})
		}
		return otlp.Value{Array: list}
	default:
		return otlp.Value{String: new(valid(v.String()))}
	}
}

// valid returns a text as collectors accept it.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

package telemetry

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/otel/attribute"
)

// putAll adds attributes to a map of OTLP.
func putAll(to pcommon.Map, attributes []attribute.KeyValue) {
	to.EnsureCapacity(to.Len() + len(attributes))
	for _, a := range attributes {
		put(to.PutEmpty(string(a.Key)), a.Value)
	}
}

func put(to pcommon.Value, v attribute.Value) {
	switch v.Type() {
	case attribute.BOOL:
		to.SetBool(v.AsBool())
	case attribute.INT64:
		to.SetInt(v.AsInt64())
	case attribute.FLOAT64:
		to.SetDouble(v.AsFloat64())
	case attribute.STRINGSLICE:
		list := to.SetEmptySlice()
		for _, s := range v.AsStringSlice() {
			list.AppendEmpty().SetStr(s)
		}
	default:
		to.SetStr(v.String())
	}
}

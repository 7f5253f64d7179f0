package otlptest

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/telemetry/otlp"
)

// Map returns attributes as values of Go: string, bool, int64, float64 and []any.
func Map(attributes []otlp.KeyValue) map[string]any {
	all := map[string]any{}
	for _, a := range attributes {
		all[a.Key] = valueOf(a.Value)
	}
	return all
}

func valueOf(v otlp.Value) any {
	switch {
	case v.String != nil:
		return *v.String
	case v.Bool != nil:
		return *v.Bool
	case v.Int != nil:
		return *v.Int
	case v.Double != nil:
		return *v.Double
	case v.Array != nil:
		var all []any
		for _, element := range v.Array.Values {
			all = append(all, valueOf(element))
		}
		return all
	}
	return nil
}

// Text returns an attribute as text, a list in JSON; "" if there is none.
func Text(attributes []otlp.KeyValue, key string) string {
	switch v := Map(attributes)[key].(type) {
	case nil:
		return ""
	case []any:
		text, _ := json.Marshal(v)
		return string(text)
	default:
		return fmt.Sprint(v)
	}
}

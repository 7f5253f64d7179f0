package dialect

import "github.com/go-json-experiment/json/jsontext"

// Object returns a tool call's input as an object, also when the model wrote something else.
func Object(input jsontext.Value) jsontext.Value {
	if input.Kind() == '{' {
		return input
	}
	return append(append(jsontext.Value(`{"_raw":`), input...), '}')
}

package pisces

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// encode is an event as a line, without LF.
func encode(e Event) []byte {
	value := marshal(e)
	line := make([]byte, 0, len(value)+64)
	line = append(line, `{"type":"`...)
	line = append(line, e.EventType()...)
	if ui, ok := e.(ExtensionUIRequest); ok {
		line = append(line, `","method":"`...)
		line = append(line, ui.UIMethod()...)
	}
	line = append(line, '"')
	if len(value) > len("{}") {
		line = append(line, ',')
	}
	return append(line, value[1:]...)
}

// marshal is a value of the protocol as JSON. Such values are strings, numbers and JSON that
// was read: they can be written, unless the program has a defect.
func marshal(value any) jsontext.Value {
	data, err := json.Marshal(value, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), json.Deterministic(true))
	if err != nil {
		panic("pisces: a message cannot be written: " + err.Error())
	}
	return data
}

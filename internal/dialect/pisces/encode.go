package pisces

import "parley.dev/parley/internal/dialect/pisces/rawjson"

// encode returns an event as a line, without LF.
func encode(e Event) []byte {
	value := rawjson.Marshal(e)
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

package loaf

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// images returns the entries of an array that are images; nil if there are none, whatever else
// was sent. Nothing is kept of the others, however many there are.
func (f *fields) images(name string) []ImageInput {
	value, _ := f.get(name)
	if value.Kind() != jsontext.KindBeginArray {
		return nil
	}
	var inputs []ImageInput
	// The line was checked: nothing here can fail.
	entries := jsontext.NewDecoder(bytes.NewBuffer(value), jsontext.AllowDuplicateNames(true))
	for _, err := entries.ReadToken(); err == nil && entries.PeekKind() != jsontext.KindEndArray; {
		if entries.PeekKind() != jsontext.KindBeginObject {
			err = entries.SkipValue()
			continue
		}
		var entry jsontext.Value
		entry, err = entries.ReadValue()
		if in := imageInput(entry); in.Path != "" || in.DataURL != "" {
			inputs = append(inputs, in)
		}
	}
	return inputs
}

// imageInput returns what an entry says, under either spelling.
func imageInput(entry jsontext.Value) ImageInput {
	obj, _ := wire.OpenObject(entry, frames.Object)
	first := func(names ...string) string {
		for _, name := range names {
			value, _ := obj.Get(name)
			if text, _ := trimmedText(value); text != "" {
				return text
			}
		}
		return ""
	}
	return ImageInput{first("path"), first("mime_type", "mimeType"), first("data_url", "dataUrl")}
}

package flint

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// What is kept of a prompt beside the blocks for models: the inputs as they were
// sent, without the texts and the data of images, which the blocks have.

// A keptInput is one of them.
type keptInput struct {
	Type string         `json:"type"`
	URL  string         `json:"url,omitzero"`
	Path string         `json:"path,omitzero"`
	Meta jsontext.Value `json:"_meta,omitzero"`
}

// keep returns what is kept of a prompt.
func keep(inputs UserInputs) jsontext.Value {
	kept := make([]keptInput, len(inputs))
	for i, input := range inputs {
		switch in := input.(type) {
		case TextInput:
			kept[i] = keptInput{Type: in.Type, Meta: in.Meta}
		case ImageInput:
			kept[i] = keptInput{Type: in.Type, Meta: in.Meta}
			if !strings.HasPrefix(in.URL, "data:") {
				kept[i].URL = in.URL
			}
		case LocalImageInput:
			kept[i] = keptInput{Type: in.Type, Path: in.Path, Meta: in.Meta}
		}
	}
	value, _ := json.Marshal(kept, jsontext.AllowInvalidUTF8(true)) // of strings and values that were read: cannot fail
	return value
}

// restored returns an input as it was sent.
func (v *view) restored(value jsontext.Value, block model.Block) (UserInput, bool) {
	var kept keptInput
	if json.Unmarshal(value, &kept) != nil {
		return nil, false
	}
	switch {
	case kept.Type == "text" && block.Image == nil:
		return TextInput{kept.Type, block.Text, kept.Meta}, true
	case kept.Type == "image" && kept.URL != "":
		return ImageInput{kept.Type, kept.URL, kept.Meta}, true
	case kept.Type == "image" && block.Image != nil:
		return ImageInput{kept.Type, v.imageURL(block), kept.Meta}, true
	case kept.Type == "localImage" && kept.Path != "":
		return LocalImageInput{kept.Type, kept.Path, kept.Meta}, true
	}
	return nil, false
}

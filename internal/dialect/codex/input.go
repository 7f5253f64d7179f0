package codex

import (
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file contains the inputs of prompts: as models get them, as they are stored, and as they are shown again.

// ownPrompt begins the ids of prompts whose clients gave none.
const ownPrompt = "parley-"

// clientID returns the id that the client gave a message.
func clientID(e event.UserMessage) string {
	if e.Sent == nil || strings.HasPrefix(string(e.ID), ownPrompt) {
		return ""
	}
	return string(e.ID)
}

// blocksOf returns a prompt as models get it, one block an input.
func blocksOf(inputs []UserInput) ([]model.Block, error) {
	blocks := make([]model.Block, len(inputs))
	for i, input := range inputs {
		switch in := input.Value.(type) {
		case TextUserInput:
			blocks[i] = model.TextBlock(in.Text)
		case ImageUserInput:
			image, ok := model.Image{}, appserver.IsImageURL(in.URL)
			if ok {
				image, ok = appserver.ImageOf(in.URL)
			}
			if !ok {
				return nil, invalid("input: url must be an https URL, or a data URL with a png, jpeg, gif or webp image of at most 20 MiB")
			}
			blocks[i] = model.ImageBlock(image)
		case LocalImageUserInput:
			image, ok := model.Image{}, filepath.IsAbs(in.Path)
			if ok {
				image, ok = appserver.ReadImage(in.Path)
			}
			if !ok {
				return nil, invalid("input: cannot read image " + abridged(in.Path))
			}
			blocks[i] = model.ImageBlock(image)
		case SkillUserInput:
			blocks[i] = model.TextBlock("$" + in.Name)
		case MentionUserInput:
			blocks[i] = model.TextBlock("@" + in.Name + " (" + in.Path + ")")
		default:
			return nil, invalid("input: audio is not taken")
		}
	}
	return blocks, nil
}

// checkInput demands something to act on.
func checkInput(inputs []UserInput) error {
	for _, input := range inputs {
		if text, ok := input.Value.(TextUserInput); !ok || strings.TrimSpace(text.Text) != "" {
			return nil
		}
	}
	return problem("input", "must not be empty")
}

// stored returns what is stored of a prompt beside the blocks for models: the inputs as they were sent, without the texts
// and the data of images, which the blocks have.
func stored(inputs []UserInput) jsontext.Value {
	all := make([]any, len(inputs))
	for i, input := range inputs {
		switch in := input.Value.(type) {
		case TextUserInput:
			in.Text = ""
			all[i] = in
		case ImageUserInput:
			if strings.HasPrefix(in.URL, "data:") {
				in.URL = ""
			}
			all[i] = in
		default:
			all[i] = in
		}
	}
	return marshal(all)
}

// inputs returns a prompt as it was sent; one of another protocol as models read it.
func (v *view) inputs(e event.UserMessage) []UserInput {
	var sent []jsontext.Value
	if e.Sent != nil {
		_ = json.Unmarshal(e.Sent, &sent) // another protocol's words are not read
	}
	shown := []UserInput{}
	for i, block := range e.Blocks {
		input := UserInput{TextUserInput{Text: block.Text, TextElements: []TextElement{}}}
		if block.Image != nil {
			input = UserInput{ImageUserInput{URL: v.imageURL(block)}}
		}
		if len(sent) == len(e.Blocks) {
			var own UserInput
			if own.DecodeWire(sent[i], frames.Object) == nil {
				input = v.whole(own, block)
			}
		}
		shown = append(shown, input)
	}
	return shown
}

// whole returns a stored input with what its block has.
func (v *view) whole(own UserInput, block model.Block) UserInput {
	switch in := own.Value.(type) {
	case TextUserInput:
		in.Text = block.Text
		if in.TextElements == nil {
			in.TextElements = []TextElement{}
		}
		return UserInput{in}
	case ImageUserInput:
		if in.URL == "" && block.Image != nil {
			in.URL = v.imageURL(block)
		}
		return UserInput{in}
	}
	return own
}

// imageURL returns the address of an image, its data if it has no other.
func (v *view) imageURL(block model.Block) string {
	if block.Image.URL != "" {
		return block.Image.URL
	}
	shown := *block.Image
	if shown.Data == nil {
		shown.Data, _ = v.blob(shown.Blob) // an image that is gone is shown as an empty one
	}
	return shown.DataURL()
}

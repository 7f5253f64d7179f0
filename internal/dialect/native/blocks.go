package native

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// A block is a part of a prompt.
type block struct {
	Kind  string `json:"kind" enum:"text,image"`
	Text  string `json:"text,omitzero"`
	Image *image `json:"image,omitzero"`
}

// An image is in a prompt as data, or by its address.
type image struct {
	MIME string `json:"mime"`
	Data string `json:"data,omitzero"` // base64
	Blob string `json:"blob,omitzero"` // of session/put_blob
	Name string `json:"name,omitzero"`
}

// decodeBlocks returns the blocks of a prompt as they were sent.
func decodeBlocks(value jsontext.Value) (list []block, err error) {
	err = wire.DecodeValue(value, &list, frames.Object)
	if field, ok := errors.AsType[*wire.FieldError](err); ok {
		field.Field = wire.FieldPath("blocks", field.Field)
	}
	return list, err
}

// blocks reads the blocks of a prompt.
func (s *session) blocks(value jsontext.Value) ([]model.Block, error) {
	list, err := decodeBlocks(value)
	if err != nil {
		return nil, paramsError("", err)
	}
	var blocks []model.Block
	for i, b := range list {
		member := fmt.Sprintf("blocks[%d]", i)
		switch {
		case b.Kind == "text":
			blocks = append(blocks, model.TextBlock(b.Text))
		case b.Image == nil:
			return nil, invalidMember(member+".image", "is required")
		default:
			img, err := s.image(member, b.Image)
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, model.Block{Kind: model.KindImage, Image: img})
		}
	}
	return blocks, nil
}

// imageTypes are the types of images that models take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// image reads an image of a prompt.
func (s *session) image(member string, i *image) (*model.Image, error) {
	if !slices.Contains(imageTypes, i.MIME) {
		return nil, invalidMember(member+".image.mime", "must be image/png, image/jpeg, image/gif or image/webp")
	}
	if i.Blob != "" {
		data, err := s.eng.Log().Blob(i.Blob)
		if err != nil {
			return nil, failure(jsonrpc.CodeInvalidParams, "there is no blob "+abridged(i.Blob), ErrorData{Kind: "no_blob", Member: member + ".image.blob"})
		}
		return &model.Image{MIME: i.MIME, Data: data, Name: i.Name}, nil
	}
	data, err := base64.StdEncoding.DecodeString(i.Data)
	if err != nil || len(data) == 0 {
		return nil, invalidMember(member+".image.data", "must be base64, and not empty")
	}
	return &model.Image{MIME: i.MIME, Data: data, Name: i.Name}, nil
}

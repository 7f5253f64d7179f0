package message

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"parley.dev/parley/internal/model"
)

// imageTypes is the types of pictures that models take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// Check returns what is wrong with a picture that a client sent.
func (c Image) Check() error {
	_, err := c.Decoded()
	return err
}

// Decoded returns the picture as the engine takes it.
func (c Image) Decoded() (model.Image, error) {
	if c.Type != TypeImage {
		return model.Image{}, fmt.Errorf("type: expected %q", TypeImage)
	}
	if !slices.Contains(imageTypes, c.MIMEType) {
		return model.Image{}, errors.New("mimeType: expected image/png, image/jpeg, image/gif or image/webp")
	}
	data, err := base64.StdEncoding.DecodeString(c.Data)
	if err != nil || len(data) == 0 {
		return model.Image{}, errors.New("data: expected a picture in base64")
	}
	return model.Image{MIME: c.MIMEType, Data: data}, nil
}

// contentOfImage returns a picture of the engine's; blob gets its data where it is one.
func contentOfImage(img model.Image, blob func(address string) ([]byte, error)) Content {
	data := img.Data
	if img.Blob != "" && blob != nil {
		data, _ = blob(img.Blob) // nil: it is lost
	}
	if len(data) == 0 {
		return NewText("[image " + img.MIME + " that is not there any more]")
	}
	return ImageOf(img.MIME, data)
}

// ImageOf returns a picture of our own.
func ImageOf(mime string, data []byte) Image {
	return Image{TypeImage, base64.StdEncoding.EncodeToString(data), mime}
}

package appserver

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/regular"
)

// imageLimit is how large an image may be, in bytes.
const imageLimit = 20 << 20

// IsImageURL reports whether a prompt may have an image of that address: https, or a data URL with an image in base64.
func IsImageURL(text string) bool {
	if _, ok := imageData(text); ok {
		return true
	}
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Host != ""
}

// imageData returns the data of a URL of the form data:image/TYPE;base64,DATA. It is not ok if the URL has another form,
// or its data are not base64.
func imageData(text string) (data string, ok bool) {
	head, data, _ := strings.Cut(text, ",")
	mediaType, isBase64 := strings.CutSuffix(strings.ToLower(head), ";base64")
	mediaType, isData := strings.CutPrefix(mediaType, "data:")
	if !isBase64 || !isData || !strings.HasPrefix(mediaType, "image/") || data == "" {
		return "", false
	}
	_, err := io.Copy(io.Discard, base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	return data, err == nil
}

// ImageOf returns the image of an address for which IsImageURL is true. It is not ok if the data are no image that models
// take.
func ImageOf(address string) (image model.Image, ok bool) {
	encoded, ok := imageData(address)
	if !ok {
		return model.Image{URL: address}, true
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	mime := imageType(data)
	if err != nil || mime == "" || len(data) > imageLimit {
		return model.Image{}, false
	}
	return model.Image{MIME: mime, Data: data}, true
}

// ReadImage returns the image in a file. It is not ok if there is none that models take.
func ReadImage(path string) (image model.Image, ok bool) {
	data, err := regular.ReadFile(path, imageLimit)
	mime := imageType(data)
	if err != nil || mime == "" {
		return model.Image{}, false
	}
	return model.Image{MIME: mime, Data: data, Name: path}, true
}

// imageType returns the type of an image by its content; "" if models do not take it.
func imageType(data []byte) string {
	mime := http.DetectContentType(bytes.TrimSpace(data[:min(len(data), 512)]))
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mime) {
		return ""
	}
	return mime
}

package tool

import (
	"fmt"
	"io"
	"path"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/picture"
)

// maxImageFile is the largest image that is read, in bytes.
const maxImageFile = 64 << 20

// readImage shows an image of the media type kind, scaled down if it is large.
func readImage(in io.Reader, kind, shown string) (Result, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxImageFile+1))
	if err != nil {
		return Result{}, err
	}
	if len(data) > maxImageFile {
		return Result{}, fmt.Errorf("the image is larger than %d MiB", maxImageFile>>20)
	}
	fitted, err := picture.Fit(data, kind, picture.MaxBytes, picture.Edge)
	if err != nil {
		return Result{}, err
	}
	text := fmt.Sprintf("%s, %d x %d pixels, %s", kind, fitted.Full.X, fitted.Full.Y, plural(len(data), "byte"))
	if fitted.Changed {
		text += fmt.Sprintf("; shown as %s, %d x %d pixels", fitted.MIME, fitted.Size.X, fitted.Size.Y)
	}
	return Result{Text: text, Images: []model.Image{{MIME: fitted.MIME, Data: fitted.Data, Name: path.Base(shown)}}}, nil
}

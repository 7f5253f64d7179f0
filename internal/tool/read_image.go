package tool

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // decoders for what isImage names
	"image/jpeg"
	"image/png"
	"io"
	"path"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"

	"parley.dev/parley/internal/model"
)

// Caps of images.
const (
	maxImageFile   = 64 << 20 // bytes read from disk
	maxImagePixels = 40 << 20 // decoded; 4 bytes each
	maxImageData   = 5 << 20  // bytes for the model
	maxImageEdge   = 1568     // pixels for the model; larger ones are scaled down
	jpegQuality    = 85
)

// readImage shows an image of the media type kind, scaled down if it is large.
func readImage(in io.Reader, kind, shown string) (Result, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxImageFile+1))
	if err != nil {
		return Result{}, err
	}
	if len(data) > maxImageFile {
		return Result{}, fmt.Errorf("the image is larger than %d MiB", maxImageFile>>20)
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return Result{}, fmt.Errorf("the image (%s) is damaged: %w", kind, err)
	}
	text := fmt.Sprintf("%s, %d x %d pixels, %s", kind, size.Width, size.Height, plural(len(data), "byte"))
	if len(data) > maxImageData || max(size.Width, size.Height) > maxImageEdge {
		if size.Height > 0 && size.Width > maxImagePixels/size.Height {
			return Result{}, fmt.Errorf("the image is too large to decode: %d x %d pixels", size.Width, size.Height)
		}
		small, err := shrink(data, kind)
		if err != nil {
			return Result{}, err
		}
		data, kind = small.data, small.kind
		text += fmt.Sprintf("; shown as %s, %d x %d pixels", kind, small.size.X, small.size.Y)
	}
	return Result{Text: text, Images: []model.Image{{MIME: kind, Data: data, Name: path.Base(shown)}}}, nil
}

type encoded struct {
	data []byte
	kind string // media type
	size image.Point
}

// shrink scales an image to maxImageEdge. It stays a PNG if it can, as text is hard to
// read in a JPEG; of an animation the first picture is left.
func shrink(data []byte, kind string) (encoded, error) {
	full, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return encoded{}, fmt.Errorf("the image (%s) is damaged: %w", kind, err)
	}
	size := fitted(full.Bounds().Size())
	small := image.NewRGBA(image.Rectangle{Max: size})
	draw.ApproxBiLinear.Scale(small, small.Bounds(), full, full.Bounds(), draw.Src, nil)
	var out bytes.Buffer
	if kind != "image/jpeg" {
		if err := png.Encode(&out, small); err != nil {
			return encoded{}, err
		}
		if out.Len() <= maxImageData {
			return encoded{out.Bytes(), "image/png", size}, nil
		}
		out.Reset()
	}
	if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: jpegQuality}); err != nil {
		return encoded{}, err
	}
	if out.Len() > maxImageData {
		return encoded{}, errors.New("the image is too large even when it is scaled down")
	}
	return encoded{out.Bytes(), "image/jpeg", size}, nil
}

// fitted is size within maxImageEdge, with the same proportions.
func fitted(size image.Point) image.Point {
	edge := max(size.X, size.Y)
	if edge <= maxImageEdge {
		return size
	}
	scale := func(n int) int { return max(1, (n*maxImageEdge+edge/2)/edge) }
	return image.Pt(scale(size.X), scale(size.Y))
}

// Package picture reads the size of pictures, and scales them down to the limits of models.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // decoders of the formats that models accept
	"image/jpeg"
	"image/png"
	"sync"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"
)

// The limits of a picture.
const (
	MaxBytes  = 5 << 20  // for a model
	MaxSide   = 8000     // pixels of the longer side, for a model
	Edge      = 1568     // pixels of the longer side after scaling down; models use no more
	maxPixels = 40 << 20 // decoded; 4 bytes each

	jpegQuality = 85
)

// ErrUnreadable is the error for data that is not a picture of a known format.
var ErrUnreadable = errors.New("the image is damaged")

// Limits are the limits of an endpoint; 0 means that none is known.
type Limits struct {
	MaxBytes  int // of one picture, before it is encoded
	MaxSide   int // pixels of the longer side
	Many      int // if a request has more pictures than this, ManySide replaces MaxSide
	ManySide  int
	MaxNumber int // in one request
}

// A Fitted is a picture within limits.
type Fitted struct {
	Data []byte
	MIME string
	Size image.Point
	Full image.Point // before scaling

	Changed bool // Data is not the data that was given
}

// decoding is locked while a picture is decoded: a few large ones at the same time take much memory.
var decoding sync.Mutex

// Fit returns data itself if it has at most maxBytes and its longer side at most maxSide pixels,
// otherwise the picture scaled down to [Edge] or maxSide. mime is the declared media type of data;
// the MIME of the result is the actual one. The error is ErrUnreadable for data that cannot be
// decoded.
func Fit(data []byte, mime string, maxBytes, maxSide int) (Fitted, error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return Fitted{}, fmt.Errorf("%w (%s): %w", ErrUnreadable, mime, err)
	}
	size := image.Pt(config.Width, config.Height)
	if len(data) <= maxBytes && max(size.X, size.Y) <= maxSide {
		return Fitted{Data: data, MIME: "image/" + format, Size: size, Full: size}, nil
	}
	if size.Y > 0 && size.X > maxPixels/size.Y {
		return Fitted{}, fmt.Errorf("the image is too large to decode: %d x %d pixels", size.X, size.Y)
	}
	decoding.Lock()
	defer decoding.Unlock()
	small, err := shrink(data, format, maxBytes, min(maxSide, Edge))
	small.Full, small.Changed = size, true
	return small, err
}

// shrink scales a picture down. The result is a PNG if that is small enough, since text is hard to
// read in a JPEG; of an animation it has the first picture.
func shrink(data []byte, format string, maxBytes, edge int) (Fitted, error) {
	full, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return Fitted{}, fmt.Errorf("%w (image/%s): %w", ErrUnreadable, format, err)
	}
	size := scaled(full.Bounds().Size(), edge)
	small := scale(halved(full, size), size)
	var out bytes.Buffer
	if format != "jpeg" {
		if err := png.Encode(&out, small); err != nil {
			return Fitted{}, err
		}
		if out.Len() <= maxBytes {
			return Fitted{Data: out.Bytes(), MIME: "image/png", Size: size}, nil
		}
		out.Reset()
	}
	if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: jpegQuality}); err != nil {
		return Fitted{}, err
	}
	if out.Len() > maxBytes {
		return Fitted{}, errors.New("the image is too large even when it is scaled down")
	}
	return Fitted{Data: out.Bytes(), MIME: "image/jpeg", Size: size}, nil
}

// scaled returns size reduced to a longer side of at most edge, with the same proportions.
func scaled(size image.Point, edge int) image.Point {
	longer := max(size.X, size.Y)
	if longer <= edge {
		return size
	}
	scale := func(n int) int { return max(1, (n*edge+longer/2)/longer) }
	return image.Pt(scale(size.X), scale(size.Y))
}

// halved returns a picture halved as often as it stays larger than size. The scaler takes the nearest four pixels of each, so
// that all of a picture counts, and thin lines stay, only if it is not more than twice as large.
func halved(picture image.Image, size image.Point) image.Image {
	for b := picture.Bounds(); b.Dx() >= 2*size.X && b.Dy() >= 2*size.Y && b.Dx() > 2 && b.Dy() > 2; b = picture.Bounds() {
		picture = scale(picture, image.Pt((b.Dx()+1)/2, (b.Dy()+1)/2))
	}
	return picture
}

func scale(picture image.Image, size image.Point) *image.RGBA {
	scaled := image.NewRGBA(image.Rectangle{Max: size})
	draw.ApproxBiLinear.Scale(scaled, scaled.Bounds(), picture, picture.Bounds(), draw.Src, nil)
	return scaled
}

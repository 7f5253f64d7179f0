package graphics

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	_ "image/gif" // the formats of images in sessions
	_ "image/jpeg"
	"image/png"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // as above
)

// pixelLimit is the number of pixels of images that are shown: decoding takes 4 bytes for each.
const pixelLimit = 6 << 20

// read returns the size of an image.
func read(data []byte) (image.Config, error) {
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err == nil && (config.Width < 1 || config.Height < 1) {
		err = errors.New("the image is empty")
	}
	return config, err
}

// What a cell is taken to have, in pixels.
const cellWidth, cellHeight = 10, 20

// cells returns the size of an image in cells.
func cells(width, height int) (columns, rows int) {
	w, h := float64(width)/cellWidth, float64(height)/cellHeight
	scale := min(1, maxColumns/w, maxRows/h)
	return max(1, int(w*scale+0.5)), max(1, int(h*scale+0.5))
}

// transmit returns the sequences that give an image to the terminal, for placeholders of that size.
func transmit(data []byte, id, columns, rows int) (string, error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	if config.Width > pixelLimit/max(1, config.Height) {
		return "", errors.New("the image is too large")
	}
	if format != "png" {
		if data, err = small(data, columns, rows); err != nil {
			return "", err
		}
	}
	text := base64.StdEncoding.EncodeToString(data)
	options := []string{"a=T", "U=1", "q=2", "f=" + strconv.Itoa(kitty.PNG), "i=" + strconv.Itoa(id), "c=" + strconv.Itoa(columns), "r=" + strconv.Itoa(rows)}
	var b strings.Builder
	for {
		n := min(len(text), kitty.MaxChunkSize)
		more := "m=0"
		if n < len(text) {
			more = "m=1"
		}
		b.WriteString(ansi.KittyGraphics([]byte(text[:n]), append(options, more)...))
		if text = text[n:]; text == "" {
			return b.String(), nil
		}
		options = []string{"q=2"}
	}
}

// small returns an image as a PNG that is no larger than its place.
func small(data []byte, columns, rows int) ([]byte, error) {
	picture, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if place := image.Rect(0, 0, columns*cellWidth, rows*cellHeight); picture.Bounds().Dx() > place.Dx() {
		scaled := image.NewRGBA(place)
		draw.ApproxBiLinear.Scale(scaled, place, picture, picture.Bounds(), draw.Src, nil)
		picture = scaled
	}
	var b bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, picture)
	return b.Bytes(), err
}

// remove removes all images, with their data.
var remove = ansi.KittyGraphics(nil, "a=d", "d=A", "q=2")

// Supported reports whether the terminal has the graphics of kitty with placeholders, from the variables of the
// environment. Programs such as tmux are between a terminal and its graphics.
func Supported(getenv func(string) string) bool {
	if getenv("TMUX") != "" || getenv("STY") != "" || getenv("ZELLIJ") != "" {
		return false
	}
	term := getenv("TERM")
	return term == "xterm-kitty" || term == "xterm-ghostty" || getenv("KITTY_WINDOW_ID") != "" || strings.EqualFold(getenv("TERM_PROGRAM"), "ghostty")
}

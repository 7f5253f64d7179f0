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

// cells returns the size of an image in cells, which are taken to be twice as high as wide and 10 pixels wide.
func cells(width, height int) (columns, rows int) {
	const cellWidth, cellHeight = 10, 20
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
		picture, _, err := image.Decode(bytes.NewReader(data))
		if err != nil {
			return "", err
		}
		var b bytes.Buffer
		if err := png.Encode(&b, picture); err != nil {
			return "", err
		}
		data = b.Bytes()
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

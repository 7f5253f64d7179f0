package graphics

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/jpeg"
	"image/png"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/tui/draw"
	"parley.dev/parley/record"
)

func encoded(t *testing.T, format string, width, height int) []byte {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range picture.Pix {
		picture.Pix[i] = byte(i * i >> 3)
	}
	var b bytes.Buffer
	var err error
	if format == "png" {
		err = png.Encode(&b, picture)
	} else {
		err = jpeg.Encode(&b, picture, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestGallery: an image is wanted once, is a line with its size without graphics, and is sent once to a terminal with them.
func TestGallery(t *testing.T) {
	for _, kitty := range []bool{false, true} {
		g := New(kitty)
		img := record.Image{MIME: "image/png", Blob: "b"}
		g.Picture(img)
		g.Picture(img)
		if got := g.Wanted(); !slices.Equal(got, []string{"b"}) {
			t.Errorf("wanted %q", got)
		}
		data := encoded(t, "png", 400, 200)
		sequences := g.Add("b", data)
		want := draw.Picture{Bytes: len(data), Width: 400, Height: 200}
		if kitty {
			want.ID, want.Columns, want.Rows = 1, 40, 10
		}
		if got := g.Picture(img); got != want || len(g.Wanted()) > 0 {
			t.Errorf("%+v, want %+v", got, want)
		}
		if (sequences != "") != kitty || (g.Close() != "") != kitty {
			t.Errorf("%d bytes for a terminal, kitty %v", len(sequences), kitty)
		}
	}
}

var chunk = regexp.MustCompile("\x1b_G([^;\x1b]*);([^\x1b]*)\x1b\\\\")

// TestTransmit puts the chunks together: they are a PNG of the image.
func TestTransmit(t *testing.T) {
	for _, format := range []string{"png", "jpeg"} {
		sequences, err := transmit(encoded(t, format, 120, 80), 7, 12, 4)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		chunks := chunk.FindAllStringSubmatch(sequences, -1)
		for i, c := range chunks {
			if last := i == len(chunks)-1; strings.Contains(c[1], "m=0") != last || len(c[2]) > 4096 {
				t.Errorf("chunk %d of %d: %s, %d bytes", i, len(chunks), c[1], len(c[2]))
			}
			text.WriteString(c[2])
		}
		if rest := chunk.ReplaceAllString(sequences, ""); rest != "" || !strings.Contains(chunks[0][1], "U=1") || !strings.Contains(chunks[0][1], "i=7") {
			t.Errorf("%q, %q", rest, chunks[0][1])
		}
		data, err := base64.StdEncoding.DecodeString(text.String())
		if err != nil {
			t.Fatal(err)
		}
		if config, err := png.DecodeConfig(bytes.NewReader(data)); err != nil || config.Width != 120 || config.Height != 80 {
			t.Errorf("%+v, %v", config, err)
		}
	}
}

// TestBad: what is no image, or too large a one, is not sent.
func TestBad(t *testing.T) {
	huge := encoded(t, "png", 10, 10)
	copy(huge[16:], []byte{0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff}) // the size in the head
	for _, data := range [][]byte{nil, []byte("no image"), huge, encoded(t, "png", 10, 10)[:40]} {
		g := New(true)
		g.Picture(record.Image{Blob: "b"})
		if sequences := g.Add("b", data); len(data) != 40 && sequences != "" {
			t.Errorf("%q is sent as %q", data, sequences)
		}
	}
}

// TestSmall: a photo is sent as large as its place.
func TestSmall(t *testing.T) {
	columns, rows := cells(1200, 800)
	data, err := small(encoded(t, "jpeg", 1200, 800), columns, rows)
	if err != nil {
		t.Fatal(err)
	}
	if config, err := png.DecodeConfig(bytes.NewReader(data)); err != nil || config.Width != 600 || config.Height != 400 {
		t.Errorf("%+v, %v", config, err)
	}
}

func TestCells(t *testing.T) {
	for _, test := range []struct{ width, height, columns, rows int }{
		{1, 1, 1, 1}, {100, 100, 10, 5}, {6000, 100, 60, 1}, {100, 10_000, 1, 20}, {1200, 800, 60, 20},
	} {
		if columns, rows := cells(test.width, test.height); columns != test.columns || rows != test.rows {
			t.Errorf("%d × %d: %d × %d cells", test.width, test.height, columns, rows)
		}
	}
}

func TestSupported(t *testing.T) {
	for _, test := range []struct {
		environment map[string]string
		want        bool
	}{
		{map[string]string{"TERM": "xterm-256color"}, false},
		{map[string]string{"TERM": "xterm-kitty"}, true},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, true},
		{map[string]string{"TERM": "tmux-256color", "TMUX": "/tmp/x", "KITTY_WINDOW_ID": "1"}, false},
	} {
		if got := Supported(func(name string) string { return test.environment[name] }); got != test.want {
			t.Errorf("%v: %v", test.environment, got)
		}
	}
}

package tool

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"parley.dev/parley/internal/picture"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/tool/workspacetest"
)

// noise is random pixels, which no format compresses well.
func noise(width, height int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(random.Uint32())
	}
	return img
}

func encode(t *testing.T, kind string, img image.Image) string {
	t.Helper()
	var out bytes.Buffer
	var err error
	switch kind {
	case "image/png":
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img)
	case "image/jpeg":
		err = jpeg.Encode(&out, img, nil)
	case "image/gif":
		err = gif.Encode(&out, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// onePixelWebP is a lossless WebP of one pixel.
const onePixelWebP = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

func TestReadImages(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	gray := func(width, height int) image.Image { return image.NewGray(image.Rect(0, 0, width, height)) }
	tests := []struct {
		name, data string
		kind       string // shown as; "": not at all
		size       image.Point
		text       string
	}{
		{"small.png", encode(t, "image/png", gray(40, 30)), "image/png", image.Pt(40, 30), "image/png, 40 x 30 pixels"},
		{"small.jpg", encode(t, "image/jpeg", gray(40, 30)), "image/jpeg", image.Pt(40, 30), "image/jpeg, 40 x 30 pixels"},
		{"small.gif", encode(t, "image/gif", gray(40, 30)), "image/gif", image.Pt(40, 30), "image/gif, 40 x 30 pixels"},
		{"small.webp", onePixelWebP, "image/webp", image.Pt(1, 1), "image/webp, 1 x 1 pixels"},
		{"wide.png", encode(t, "image/png", gray(3136, 100)), "image/png", image.Pt(1568, 50), "shown as image/png, 1568 x 50 pixels"},
		{"tall.jpg", encode(t, "image/jpeg", gray(10, 3136)), "image/jpeg", image.Pt(5, 1568), "shown as image/jpeg, 5 x 1568 pixels"},
		{"thread.gif", encode(t, "image/gif", gray(1, 5000)), "image/png", image.Pt(1, 1568), "shown as image/png, 1 x 1568 pixels"},
		{"noise.png", encode(t, "image/png", noise(1160, 1160)), "image/jpeg", image.Pt(1160, 1160), "shown as image/jpeg, 1160 x 1160 pixels"},
		{"bomb.png", bomb(t), "", image.Point{}, "too large to decode: 60000 x 60000 pixels"},
		{"cut.png", encode(t, "image/png", gray(4000, 40))[:60], "", image.Point{}, "is damaged"},
		{"head.png", "\x89PNG\r\n\x1a\n", "", image.Point{}, "is damaged"},
	}
	for _, test := range tests {
		w := workspacetest.New(t, map[string]string{test.name: test.data})
		got := runTool(t, w, Read(), in{"path": test.name})
		if !strings.Contains(got.Text, test.text) || got.IsError != (test.kind == "") || len(got.Images) != 1 != got.IsError {
			t.Errorf("%s: got %q %v with %d images, want %q", test.name, got.Text, got.IsError, len(got.Images), test.text)
			continue
		}
		for _, img := range got.Images {
			config, format, err := image.DecodeConfig(bytes.NewReader(img.Data))
			if err != nil || "image/"+format != test.kind || img.MIME != test.kind || img.Name != test.name {
				t.Errorf("%s: %s %s %s %v", test.name, img.Name, img.MIME, format, err)
			}
			if size := image.Pt(config.Width, config.Height); size != test.size || len(img.Data) > picture.MaxBytes {
				t.Errorf("%s: %v, %d bytes", test.name, size, len(img.Data))
			}
		}
	}
}

// bomb returns a PNG whose header says that it is huge.
func bomb(t *testing.T) string {
	data := []byte(encode(t, "image/png", image.NewGray(image.Rect(0, 0, 1, 1))))
	header := data[12:29] // "IHDR", width, height, five bytes more
	binary.BigEndian.PutUint32(header[4:], 60000)
	binary.BigEndian.PutUint32(header[8:], 60000)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(header))
	return string(data)
}

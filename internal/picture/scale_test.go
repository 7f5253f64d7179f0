package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// TestThinLines: lines of one pixel are as dark in each place of a picture that is scaled down, and none is missing.
func TestThinLines(t *testing.T) {
	const side, distance = 5120, 16
	full := image.NewGray(image.Rect(0, 0, side, side/8))
	for i := range full.Pix {
		full.Pix[i] = 255
	}
	for x := 0; x < side; x += distance {
		for y := range side / 8 {
			full.SetGray(x, y, color.Gray{})
		}
	}
	var data bytes.Buffer
	if err := png.Encode(&data, full); err != nil {
		t.Fatal(err)
	}
	got, err := Fit(data.Bytes(), "image/png", MaxBytes, Edge)
	if err != nil {
		t.Fatal(err)
	}
	small, err := png.Decode(bytes.NewReader(got.Data))
	if err != nil {
		t.Fatal(err)
	}
	// The darkness of a line is that of one pixel of the full picture, in whatever columns it is.
	width := small.Bounds().Dx()
	least, most := 1e9, 0.0
	for line := 1; line < side/distance-1; line++ {
		middle := (float64(line*distance) + 0.5) * float64(width) / side
		dark := 0.0
		for x := int(middle) - 2; x <= int(middle)+2; x++ {
			grey, _, _, _ := small.At(x, small.Bounds().Dy()/2).RGBA()
			dark += 1 - float64(grey)/0xffff
		}
		least, most = min(least, dark), max(most, dark)
	}
	if want := float64(width) / side; least < want/2 || most > want*2 {
		t.Errorf("lines have between %.2f and %.2f of the darkness of a pixel, want about %.2f each", least, most, want)
	}
}

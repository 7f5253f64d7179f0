package picture

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"testing"
)

func TestFit(t *testing.T) {
	encode := func(width, height int) []byte {
		var out bytes.Buffer
		if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	var jpg bytes.Buffer
	if err := jpeg.Encode(&jpg, image.NewGray(image.Rect(0, 0, 100, 50)), nil); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		data     []byte
		maxBytes int
		maxSide  int
		mime     string
		size     image.Point
		same     bool
	}{
		{encode(100, 50), MaxBytes, 100, "image/png", image.Pt(100, 50), true},
		{encode(100, 50), MaxBytes, 50, "image/png", image.Pt(50, 25), false},
		{encode(9000, 4), MaxBytes, MaxSide, "image/png", image.Pt(Edge, 1), false},
		{jpg.Bytes(), MaxBytes, 50, "image/jpeg", image.Pt(50, 25), false},
		{jpg.Bytes(), MaxBytes, 100, "image/jpeg", image.Pt(100, 50), true},
	} {
		got, err := Fit(test.data, "image/png", test.maxBytes, test.maxSide)
		if err != nil || got.MIME != test.mime || got.Size != test.size || bytes.Equal(got.Data, test.data) != test.same {
			t.Errorf("%v: %s %v %d bytes, %v", test.size, got.MIME, got.Size, len(got.Data), err)
		}
	}
	if _, err := Fit([]byte("text"), "image/png", MaxBytes, MaxSide); !errors.Is(err, ErrUnreadable) {
		t.Errorf("text: %v", err)
	}
	if _, err := Fit(encode(100, 50), "image/png", 10, MaxSide); err == nil || errors.Is(err, ErrUnreadable) {
		t.Errorf("ten bytes: %v", err)
	}
}

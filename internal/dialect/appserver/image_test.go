package appserver

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"
)

// png is the beginning of one, which is all that is looked at.
const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

func TestImageOf(t *testing.T) {
	data := base64.StdEncoding.EncodeToString([]byte(png))
	for address, want := range map[string]string{
		"data:Image/PNG;base64," + data: "image/png", // the word of the URL does not count
		"data:image/gif;base64," + data: "image/png",
		"https://example.org/a.png":     "",
	} {
		if image, ok := ImageOf(address); !ok || image.MIME != want || !IsImageURL(address) {
			t.Errorf("%q: %q, %t", address, image.MIME, ok)
		}
	}
	if _, ok := ImageOf("data:image/png;base64,QUJD"); ok {
		t.Error("a text is taken as an image")
	}
}

func TestReadImage(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a": png, "b": "text"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if image, ok := ReadImage(filepath.Join(dir, "a")); !ok || image.MIME != "image/png" || image.Name != filepath.Join(dir, "a") {
		t.Errorf("%+v, %t", image, ok)
	}
	for _, name := range []string{"b", "c", "."} {
		if _, ok := ReadImage(filepath.Join(dir, name)); ok {
			t.Errorf("%s is taken as an image", name)
		}
	}
}

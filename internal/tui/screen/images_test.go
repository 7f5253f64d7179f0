package screen

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/record"
)

// TestImages: an image in sight is read once, and given to a terminal that can show it.
func TestImages(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 40))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "image.png")
	if err := os.WriteFile(path, picture.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	address, err := filepath.Rel("testdata", path)
	if err != nil {
		t.Skip(err)
	}
	for _, graphics := range []bool{true, false} {
		s := newStage(t, 80, 24, func(o *Options, _ *fakeHost) { o.Graphics = graphics })
		s.begin("look")
		s.host.requests()
		s.record("t-1", record.UserMessage{ID: "p2", Via: "steer", Blocks: []record.Block{{Kind: record.BlockImage, Image: &record.Image{MIME: "image/png", Blob: address, Name: "shop.png"}}}})
		s.expect("blob " + address)
		s.press("x")
		s.expect()
		if sent := strings.Contains(strings.Join(s.raw, ""), "\x1b_G"); sent != graphics {
			t.Errorf("graphics %v: the terminal was sent %q", graphics, s.raw)
		}
		if !graphics {
			s.shows("shop.png")
		}
		s.press("ctrl+c", "ctrl+c")
		if removed := strings.Contains(strings.Join(s.raw, ""), "a=d"); removed != graphics {
			t.Errorf("graphics %v: the terminal was sent %q at the end", graphics, s.raw)
		}
	}
}

// TestOwnAnswers: answers of this client have no name, those of another one with the same name have.
func TestOwnAnswers(t *testing.T) {
	s := newStage(t, 80, 24, func(o *Options, _ *fakeHost) { o.Client = "parley-tui" })
	s.begin("do it")
	s.approval("t-1", "a-1", "rm -rf build")
	s.pass(guard)
	s.press("y")
	s.record("t-1", record.ApprovalAnswered{ID: "a-1", Allowed: true, By: "client", Client: record.Peer{N: 1, Name: "parley-tui"}})
	s.shows("Allowed")
	s.lacks("Allowed by")
	s.approval("t-1", "a-2", "rm -rf dist")
	s.record("t-1", record.ApprovalAnswered{ID: "a-2", By: "client", Reason: "no", Client: record.Peer{N: 2, Name: "parley-tui"}})
	s.shows("Denied by parley-tui")
}

package sessionfile

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/internal/dialect/pisces/recordtest"
	"parley.dev/parley/internal/event"
)

// TestFindFile: a session file as records that could have come from a journal, with the
// pictures that it only names.
func TestFindFile(t *testing.T) {
	agent := t.TempDir()
	hash := strings.Repeat("0c", 32)
	if err := os.MkdirAll(filepath.Join(agent, "blobs"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"blobs/" + hash: "pixels",
		"cart.jsonl": recordtest.Header +
			`{"type":"message","id":"1","timestamp":"2026-04-05T10:20:31.000Z","message":{"role":"user","content":[{"type":"image","data":"blob:sha256:` + hash + `","mimeType":"image/png"}]}}` + "\n" +
			`{"type":"frobnicate","id":"2","parentId":"1"}` + "\n",
		"notes.jsonl": "{\"type\":\"message\"}\n",
	} {
		if err := os.WriteFile(filepath.Join(agent, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folders := Folders{Cwd: agent, Agent: agent}
	saved, err := Find(context.Background(), nil, folders, "cart.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if saved.PageName != "pisces-session-cart.html" {
		t.Errorf("its page is %s", saved.PageName)
	}
	var seq uint64
	var last time.Time
	pictures := ""
	for rec, err := range saved.Records {
		if seq++; err != nil || rec.Seq != seq || rec.Time.Before(last) || rec.Time.IsZero() {
			t.Errorf("record %d is %+v, %v", seq, rec, err)
		}
		last = rec.Time
		switch e := rec.Event.(type) {
		case event.SessionCreated:
			if rec.Seq != 1 || e.ID != "15d65af22b6106c4" {
				t.Errorf("%+v in record %d", e, rec.Seq)
			}
		case event.UserMessage:
			for _, b := range e.Blocks {
				if b.Image != nil {
					pictures += string(b.Image.Data)
				}
			}
		}
	}
	if seq < 3 || pictures != "pixels" {
		t.Errorf("%d records, with the pictures %q", seq, pictures)
	}
	for range saved.Records { // a caller may end the loop early
		break
	}
	for name, want := range map[string]string{"notes.jsonl": "not a session file", "./none": "no such file"} {
		if _, err := Find(context.Background(), nil, folders, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

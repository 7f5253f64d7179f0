package loaf

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestSettings: what was chosen is there again, for this user only; a damaged file is as good
// as none, and one that cannot be written holds for the process.
func TestSettings(t *testing.T) {
	var notes bytes.Buffer
	log := slog.New(slog.NewTextHandler(&notes, nil))
	path := filepath.Join(t.TempDir(), "state", "loaf.json")
	s := ReadSettings(path, log)
	if k := s.get(); k.thinking() != ThinkingHigh || k.routing() != "any" || k.Onboarded {
		t.Errorf("at first there is %+v", k)
	}
	s.set(func(k *kept) { k.Model, k.Thinking, k.Routing, k.Onboarded = "a/b", ThinkingLow, "bakery", true })
	if k := ReadSettings(path, log).get(); k != (kept{"a/b", ThinkingLow, "bakery", true}) {
		t.Errorf("read again: %+v", k)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	s.forget()
	if k := ReadSettings(path, log).get(); k != (kept{}) {
		t.Errorf("forgotten: %+v", k)
	}
	if notes.Len() > 0 {
		t.Errorf("there was a warning: %s", notes.String())
	}
	if err := os.WriteFile(path, []byte(`{"model":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if k := ReadSettings(path, log).get(); k != (kept{}) || !strings.Contains(notes.String(), "settings not read") {
		t.Errorf("damaged: %+v, %s", k, notes.String())
	}
	blocked := ReadSettings(filepath.Join(path, "below-a-file.json"), log)
	notes.Reset()
	blocked.set(func(k *kept) { k.Onboarded = true })
	if !blocked.get().Onboarded || !strings.Contains(notes.String(), "settings not kept") {
		t.Errorf("not writable: %+v, %s", blocked.get(), notes.String())
	}
}

// TestSettingsOfTwoProcesses wants what each of two processes changes in the file, and each
// process to keep its own selection.
func TestSettingsOfTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "loaf.json")
	log := slog.New(slog.DiscardHandler)
	a, b := ReadSettings(path, log), ReadSettings(path, log)
	b.set(func(k *kept) { k.Onboarded = true })
	a.set(func(k *kept) { k.Model = "a/b" })
	if k := ReadSettings(path, log).get(); k != (kept{Model: "a/b", Onboarded: true}) {
		t.Errorf("the file has %+v", k)
	}
	if k := b.get(); k != (kept{Onboarded: true}) {
		t.Errorf("the other process has %+v", k)
	}
	var writers sync.WaitGroup
	for _, s := range []*Settings{a, b} {
		writers.Go(func() {
			for range 50 {
				if s == a {
					s.set(func(k *kept) { k.Routing += "x" })
				} else {
					s.set(func(k *kept) { k.Thinking += "y" })
				}
			}
		})
	}
	writers.Wait()
	if k := ReadSettings(path, log).get(); len(k.Routing) != 50 || len(k.Thinking) != 50 {
		t.Errorf("of 50 changes each, the file has %d and %d", len(k.Routing), len(k.Thinking))
	}
}

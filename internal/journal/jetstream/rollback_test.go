package jetstream

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream/streamtest"
)

// TestRollback restores the servers from a copy that lacks the last frame of an owner. The claim of another host gets
// its sequence, which the next frame of the owner expects: that must not be stored.
func TestRollback(t *testing.T) {
	for name, appends := range map[string]func(t *testing.T, owner simHost, j journal.Journal, claim func()){
		// The owner is paused while it happens.
		"after the claim": func(t *testing.T, _ simHost, j journal.Journal, claim func()) {
			claim()
			if err := j.Append(j.Head(), notice("after")); err != nil {
				t.Fatal(err)
			}
		},
		// The owner knows that its last frame is gone, and waits for another answer.
		"before the claim": func(t *testing.T, _ simHost, j journal.Journal, claim func()) {
			if err := j.Append(j.Head(), notice("after")); err != nil {
				t.Fatal(err)
			}
			_ = streamtest.Sleep(t.Context(), time.Second)
			claim()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sim := streamtest.New(1, false)
				defer sim.Stop()
				owner, other := newSimHost(sim, "", nil), newSimHost(sim, "", nil)
				defer owner.store.Close()
				defer other.store.Close()
				folder := t.TempDir()
				owner.store.SaveLost(folder)
				time.Sleep(2*cluster.DefaultHostTTL + time.Second) // between two renewals, whose keys have sequences, too
				const id event.SessionID = "a"
				j, err := owner.store.Create(t.Context(), id, []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: id}}})
				if err == nil {
					err = errors.Join(j.Append(1, notice("copied")), j.Sync())
				}
				if err != nil {
					t.Fatal(err)
				}
				subject := streamtest.Namespace.Journal(id)
				copied := last(sim, subject)
				if err := errors.Join(j.Append(2, notice("not copied")), j.Sync()); err != nil {
					t.Fatal(err)
				}
				expected := last(sim, subject)
				sim.Rollback(copied)
				var claimed journal.Journal
				appends(t, owner, j, func() {
					sim.Skip(expected - 1) // other messages of the stream
					if claimed, err = other.store.resume(t.Context(), id, nil, true); err != nil {
						t.Fatal(err)
					}
					if got := last(sim, subject); got != expected {
						t.Fatalf("the claim has sequence %d, the owner expects %d", got, expected)
					}
				})
				if err := j.Sync(); !errors.Is(err, journal.ErrFenced) {
					t.Errorf("Sync: %v, want ErrFenced", err)
				}
				if texts := savedTexts(t, filepath.Join(folder, "a-1.jsonl")); !slices.Equal(texts, []string{"not copied", "after"}) {
					t.Errorf("saved: %q", texts)
				}
				if err := errors.Join(claimed.Append(claimed.Head(), notice("other")), claimed.Close(), j.Close()); err != nil && !errors.Is(err, journal.ErrFenced) {
					t.Error(err)
				}
				c := &checker{}
				c.checkFrames(id, sim)
				if len(c.found) > 0 {
					t.Errorf("found: %q", c.found)
				}
			})
		})
	}
}

// TestFollowRollback follows a session whose last frame is replaced by another one with its sequence.
func TestFollowRollback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := streamtest.New(1, false)
		defer sim.Stop()
		owner, other := newSimHost(sim, "", nil), newSimHost(sim, "", nil)
		defer owner.store.Close()
		defer other.store.Close()
		time.Sleep(cluster.DefaultHostTTL + time.Second)
		const id event.SessionID = "a"
		j, err := owner.store.Create(t.Context(), id, []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: id}}})
		if err == nil {
			err = errors.Join(j.Append(1, notice("copied")), j.Sync())
		}
		if err != nil {
			t.Fatal(err)
		}
		copied := last(sim, streamtest.Namespace.Journal(id))
		if err := errors.Join(j.Append(2, notice("not copied")), j.Sync()); err != nil {
			t.Fatal(err)
		}
		expected := last(sim, streamtest.Namespace.Journal(id))
		var received []uint64
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		for rec, err := range other.store.Follow(ctx, id, 0) {
			if err != nil {
				if _, damaged := errors.AsType[*journal.DamageError](err); !damaged || len(received) != 3 {
					t.Errorf("records %d, then %v", received, err)
				}
				break
			}
			if received = append(received, rec.Seq); len(received) > 3 {
				t.Fatalf("records %d", received)
			}
			if rec.Seq == 3 {
				sim.Rollback(copied)
				sim.Skip(expected - 1)
				if _, err := other.store.resume(t.Context(), id, nil, true); err != nil {
					t.Fatal(err)
				}
				if got := last(sim, streamtest.Namespace.Journal(id)); got != expected {
					t.Fatalf("the claim has sequence %d, want %d", got, expected)
				}
			}
		}
	})
}

// savedTexts returns the texts of the records in a file.
func savedTexts(t *testing.T, path string) (all []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	for line := range bytes.Lines(data) {
		var rec event.Record
		if err := rec.UnmarshalJSON(bytes.TrimSuffix(line, []byte{'\n'})); err != nil {
			t.Fatal(err)
		}
		all = append(all, rec.Event.(event.Notice).Text)
	}
	return all
}

// TestNothingSaved checks that a takeover without a loss, and the removal of a session, leave no file.
func TestNothingSaved(t *testing.T) {
	for name, removes := range map[string]bool{"taken over": false, "removed": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sim := streamtest.New(1, false)
				defer sim.Stop()
				owner, other := newSimHost(sim, "", nil), newSimHost(sim, "", nil)
				defer owner.store.Close()
				defer other.store.Close()
				folder := t.TempDir()
				owner.store.SaveLost(folder)
				const id event.SessionID = "a"
				j, err := owner.store.Create(t.Context(), id, []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: id}}})
				if err == nil {
					err = errors.Join(j.Append(1, notice("stored")), j.Sync())
				}
				if err != nil {
					t.Fatal(err)
				}
				k, err := other.store.resume(t.Context(), id, nil, true)
				if err == nil {
					err = k.Close()
				}
				if err == nil && removes {
					err = other.store.Remove(t.Context(), id)
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(j.Append(2, notice("refused")), j.Sync()); !errors.Is(err, journal.ErrFenced) {
					t.Errorf("Sync: %v, want ErrFenced", err)
				}
				if found, err := os.ReadDir(folder); err != nil || len(found) > 0 {
					t.Errorf("files: %v, %v", found, err)
				}
				_ = j.Close()
			})
		})
	}
}

// TestTail checks which lines a tail retains.
func TestTail(t *testing.T) {
	line := append(bytes.Repeat([]byte("x"), 999), '\n')
	var all tail
	for number := range uint64(1000) {
		all.add(number+1, line)
		if len(all.lines) > 2*maxTail || all.first+uint64(len(all.lines)/len(line)) != number+2 {
			t.Fatalf("%d bytes from record %d on, after record %d", len(all.lines), all.first, number+1)
		}
	}
	if all.add(1001, nil); len(all.lines) > 0 {
		t.Errorf("%d bytes after a blob", len(all.lines))
	}
	if all.add(1002, line); all.first != 1002 || len(all.lines) != len(line) {
		t.Errorf("%d bytes from record %d on", len(all.lines), all.first)
	}
}

func notice(text string) []event.Record { return []event.Record{{Event: event.Notice{Text: text}}} }

// last returns the sequence of the last message of a subject.
func last(sim *streamtest.Server, subject string) uint64 {
	all := sim.Messages(subject)
	return all[len(all)-1].Seq
}

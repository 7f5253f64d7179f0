package jetstream

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/streamtest"
)

// TestRemoveDamaged: a session whose last frame is damaged cannot be opened, and can be removed, unless its frame names a process that
// needs it. Others are not concerned.
func TestRemoveDamaged(t *testing.T) {
	for name, test := range map[string]struct {
		header func(owner string) map[string]string // of the damaged frame
		locked bool
	}{
		"no headers":      {func(string) map[string]string { return nil }, false},
		"an unknown kind": {func(string) map[string]string { return map[string]string{"Parley-V": "1", "Parley-Kind": "eel"} }, false},
		"an owner that has ended": {func(string) map[string]string {
			return map[string]string{"Parley-V": "1", "Parley-Owner": "h-gone.1"}
		}, false},
		"an owner that needs it": {func(owner string) map[string]string {
			return map[string]string{"Parley-V": "1", "Parley-Owner": owner}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sim := streamtest.New(1, false)
				defer sim.Stop()
				owner, other := newSimHost(sim, "", nil), newSimHost(sim, "", nil)
				defer owner.store.Close()
				defer other.store.Close()
				time.Sleep(cluster.DefaultHostTTL + time.Second)
				for _, id := range []event.SessionID{"a", "b"} {
					j, err := owner.store.Create(t.Context(), id, []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: id}}})
					if err == nil {
						err = j.Sync()
					}
					if err != nil {
						t.Fatal(err)
					}
					j.SetBusy(true)
					if !test.locked || id == "b" {
						if err := j.Close(); err != nil {
							t.Fatal(err)
						}
					}
				}
				message := &stream.Message{Subject: streamtest.Namespace.Journal("a"), Header: test.header(owner.store.member.Owner())}
				if _, err := sim.Publish(t.Context(), message, stream.AnySequence); err != nil {
					t.Fatal(err)
				}
				if _, err := other.store.Lease(t.Context(), "a"); !isDamage(err) {
					t.Errorf("Lease: %v, want a *DamageError", err)
				}
				err := other.store.Remove(t.Context(), "a")
				if _, locked := errors.AsType[*journal.LockedError](err); locked != test.locked || !locked && err != nil {
					t.Errorf("Remove: %v", err)
				}
				if left := len(sim.Messages(streamtest.Namespace.Journal("a"))); (left > 0) != test.locked {
					t.Errorf("%d frames are left", left)
				}
				if page, err := other.store.List(t.Context(), journal.Query{}); err != nil || len(page.Sessions) != 1 && !test.locked {
					t.Errorf("List = %v, %v", page, err)
				}
				for _, err := range other.store.Read(t.Context(), "b", 0) {
					if err != nil {
						t.Errorf("another session: %v", err)
					}
				}
			})
		})
	}
}

func isDamage(err error) bool {
	_, damaged := errors.AsType[*journal.DamageError](err)
	return damaged
}

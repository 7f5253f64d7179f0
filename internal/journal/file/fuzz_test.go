package file_test

import (
	"errors"
	"os"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// FuzzJournalRead uses any bytes as a journal. Reading ends, with at most one error, and a journal
// that Lease accepts can be continued and read again. Other bytes are damage, and Lease accepts
// them after Repair.
func FuzzJournalRead(f *testing.F) {
	root := f.TempDir()
	s := openStore(f, root)
	j := createIn(f, s, "a")
	if err := errors.Join(j.Append(1, toolRound(1)), j.Close()); err != nil {
		f.Fatal(err)
	}
	path := journalOf(root, "a")
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add(good[:len(good)/2])
	f.Add(append(good[:len(good)/2:len(good)/2], '\n'))
	f.Add([]byte{})
	f.Add([]byte("\n\n{}\n[[[["))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		n, err := count(t, s)
		wantDamageOrNil(t, err)
		j, leaseErr := s.Lease(t.Context(), "a")
		wantDamageOrNil(t, leaseErr)
		if (err == nil) != (leaseErr == nil) {
			t.Fatalf("Read: %v, Lease: %v", err, leaseErr)
		}
		if leaseErr != nil {
			kept, err := s.Repair(t.Context(), "a")
			if err != nil || kept != uint64(n) {
				t.Fatalf("Repair = %d, %v; %d records are good", kept, err, n)
			}
			if err := os.Remove(path + ".damaged-1"); err != nil {
				t.Fatal(err)
			}
			if kept == 0 {
				return
			}
			if j, err = s.Lease(t.Context(), "a"); err != nil {
				t.Fatalf("Lease after Repair: %v", err)
			}
		}
		if j.Head() != uint64(n) {
			t.Fatalf("Head = %d, %d records are good", j.Head(), n)
		}
		if err := errors.Join(j.Append(j.Head(), []event.Record{{Event: event.Notice{Text: "after"}}}), j.Close()); err != nil {
			t.Fatal(err)
		}
		if after, err := count(t, s); after != n+1 || err != nil {
			t.Fatalf("Read = %d records, %v, want %d", after, err, n+1)
		}
	})
}

func wantDamageOrNil(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*journal.DamageError](err); err != nil && !ok {
		t.Fatalf("error = %v, want a *DamageError", err)
	}
}

package journaltest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

func testBlobs(t *testing.T, env *testEnv) {
	s := env.open(t)
	j, twin := create(t, s, "a"), create(t, s, "b")
	for _, data := range [][]byte{{}, []byte("hello"), []byte("hello\n"), bytes.Repeat([]byte{0, 255, '\n'}, 1<<20)} {
		address, err := j.PutBlob(data)
		if err != nil {
			t.Fatalf("PutBlob: %v", err)
		}
		if sum := sha256.Sum256(data); address != hex.EncodeToString(sum[:]) {
			t.Errorf("the address %s is not the SHA-256 of the data", address)
		}
		for _, put := range []func([]byte) (string, error){j.PutBlob, twin.PutBlob} {
			if again, err := put(data); err != nil || again != address {
				t.Errorf("PutBlob again = %s, %v; want %s", again, err, address)
			}
		}
		fromLease, err1 := j.Blob(address)
		fromStore, err2 := env.open(t).Blob(t.Context(), "a", address)
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(fromLease, data) || !bytes.Equal(fromStore, data) {
			t.Errorf("Blob of %d bytes = %d and %d bytes, %v", len(data), len(fromLease), len(fromStore), err)
		}
	}
	if _, err := j.Blob(strings.Repeat("0", 64)); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, journal.ErrNotFound) {
		t.Errorf("Blob that is not there: %v, want fs.ErrNotExist", err)
	}
	for _, address := range []string{"", ".", "../journal.jsonl", "../../b/journal.jsonl", strings.Repeat("g", 64), strings.Repeat("A", 64), strings.Repeat("../", 21) + "a"} {
		if data, err := j.Blob(address); err == nil {
			t.Errorf("Blob(%q) = %q", address, data)
		}
	}
}

func testRemove(t *testing.T, env *testEnv) {
	s := env.open(t)
	j := create(t, s, "a")
	create(t, s, "b")
	address, err := j.PutBlob([]byte("x"))
	if err != nil {
		t.Fatalf("PutBlob: %v", err)
	}
	closeOrFail(t, j)
	if got := ids(t, s, journal.Query{}); len(got) != 2 {
		t.Errorf("List = %v, want both", got)
	}
	if err := env.open(t).Remove(t.Context(), "a"); err != nil {
		t.Fatalf("Remove: %v", err)
	}
	_, leaseErr := s.Lease(t.Context(), "a")
	_, readErr := read(t, s, "a", 0)
	_, blobErr := s.Blob(t.Context(), "a", address)
	for name, err := range map[string]error{"Lease": leaseErr, "Read": readErr, "Blob": blobErr, "Remove": s.Remove(t.Context(), "a")} {
		if !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("%s after Remove: %v, want ErrNotFound", name, err)
		}
	}
	for _, store := range []journal.Store{s, env.open(t)} {
		if got := ids(t, store, journal.Query{}); len(got) != 1 || got[0] != "b" {
			t.Errorf("List after Remove = %v, want b", got)
		}
	}
	create(t, s, "a") // the id is free again, and nothing is left
	wantRecords(t, s, "a", []event.Record{created("a")})
	if _, err := s.Blob(t.Context(), "a", address); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Blob of the removed session: %v, want fs.ErrNotExist", err)
	}
	if got := ids(t, s, journal.Query{}); len(got) != 2 {
		t.Errorf("List = %v, want both", got)
	}
}

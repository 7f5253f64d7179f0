package journaltest

import (
	"errors"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
)

// testFullDisk fills the disk at many bytes of a batch: the journal is unchanged, and can be
// continued when there is space again.
func testFullDisk(t *testing.T, env *testEnv) {
	if env.driver.OpenOn == nil {
		t.Skip("the driver has no disk of its own")
	}
	disk := new(Disk)
	s, err := env.driver.OpenOn(env.location, disk)
	if err != nil {
		t.Fatalf("OpenOn: %v", err)
	}
	defer closeOrFail(t, s)

	disk.Fill(20)
	if _, err := s.Create(t.Context(), "a", []event.Record{created("a")}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("Create on a full disk: %v, want ENOSPC", err)
	}
	disk.Free()
	j := create(t, s, "a")
	want := append([]event.Record{created("a")}, appendAll(t, j, notes(1)...)...)
	batch := notes(3)
	for room := 0; ; room += 7 {
		disk.Fill(room)
		err := j.Append(j.Head(), batch)
		disk.Free()
		if err == nil {
			want = append(want, numbered(uint64(len(want)), batch)...)
			break
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("Append with room for %d bytes: %v, want ENOSPC", room, err)
		}
		if j.Head() != uint64(len(want)) {
			t.Fatalf("Head after a failed Append = %d, want %d", j.Head(), len(want))
		}
		if room%2 == 0 {
			got, err := read(t, env.open(t), "a", 0)
			if err != nil || !cmp.Equal(want, got) {
				t.Fatalf("Read after a failed Append: %v (-want +got):\n%s", err, cmp.Diff(want, got))
			}
			want = append(want, appendAll(t, j, note(room))...)
		}
	}
	if err := j.Sync(); err != nil {
		t.Errorf("Sync: %v", err)
	}
	wantRecords(t, env.open(t), "a", want)
}

package journaltest

import (
	"sync"
	"syscall"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// A Driver is a kind of store under test.
type Driver struct {
	// NewLocation creates an empty location for a store, for one test. Only the driver interprets
	// the text: a folder, an address.
	NewLocation func(t testing.TB) string
	// Open opens the store at a location; several may be open there at the same time, in several
	// processes.
	Open func(location string) (journal.Store, error)
	// OpenOn is Open with a disk that can be full. nil: the driver does not support it.
	OpenOn func(location string, disk *Disk) (journal.Store, error)
	// Bytes gives access to the bytes of a journal. nil: they cannot be damaged by the suite.
	Bytes Bytes
	// WholeRecords reports that the medium stores a record whole or not at all: a journal whose end is
	// missing is damaged, not torn.
	WholeRecords bool
	// SlowBytes reports that replacing the bytes of a journal takes milliseconds: the suite flips fewer bits.
	SlowBytes bool
	// Takeover reports that the lease of a process that was killed is free only after some time.
	Takeover bool
	// TakeOver makes another process take over a session whose holder lives, as if the holder could not
	// be reached. nil: a holder that lives cannot lose its lease.
	TakeOver func(location string, id event.SessionID) (journal.Journal, error)
}

// Bytes reads and replaces the bytes of a journal that is not leased.
type Bytes interface {
	Load(location string, id event.SessionID) ([]byte, error)
	// Save replaces the bytes of the journal by data. Bytes that do not change must not change
	// temporarily either, for concurrent readers.
	Save(location string, id event.SessionID, data []byte) error
	// Ends returns the offset of the end of each record in data, which is a complete journal.
	Ends(data []byte) []int
}

// A Disk limits the writes of a store that OpenOn opened. There is no limit until Fill.
type Disk struct {
	mu   sync.Mutex
	full bool
	room int
}

// Fill limits the disk to room more bytes.
func (d *Disk) Fill(room int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full, d.room = true, room
}

// Free removes the limit.
func (d *Disk) Free() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = false
}

// Take returns how many of n bytes can be written, and ENOSPC if not all can.
func (d *Disk) Take(n int) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.full {
		return n, nil
	}
	if n > d.room {
		n, d.room = d.room, 0
		return n, syscall.ENOSPC
	}
	d.room -= n
	return n, nil
}

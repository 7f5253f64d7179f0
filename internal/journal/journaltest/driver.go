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
	// Place makes an empty place for a store, for one test. What the text means only the
	// driver knows: a folder, an address.
	Place func(t testing.TB) string
	// Open opens the store at a place; several may be open at one place, in several processes.
	Open func(place string) (journal.Store, error)
	// OpenOn is Open with a disk that can be full. nil: the driver has none.
	OpenOn func(place string, disk *Disk) (journal.Store, error)
	// Bytes are those behind a journal. nil: nothing of it can be torn or flipped.
	Bytes Bytes
}

// Bytes gives the suite the bytes behind a journal that nobody has leased.
type Bytes interface {
	Load(place string, id event.SessionID) ([]byte, error)
	// Save makes data the bytes of the journal. Where they are the same as before they
	// are so at every moment, for those who read meanwhile.
	Save(place string, id event.SessionID, data []byte) error
	// Ends is where each record ends in data, which is a whole journal.
	Ends(data []byte) []int
}

// A Disk is where a store writes that OpenOn opened. It has room until Fill.
type Disk struct {
	mu   sync.Mutex
	full bool
	room int
}

// Fill leaves room for so many more bytes.
func (d *Disk) Fill(room int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full, d.room = true, room
}

// Free gives room for everything.
func (d *Disk) Free() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = false
}

// Take is how many of n bytes can be written, with ENOSPC if not all.
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

package journaltest

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/racetest"
)

// A sampleJournal is a complete journal whose bytes a test can change.
type sampleJournal struct {
	*testEnv
	store   journal.Store
	id      event.SessionID
	records []event.Record
	data    []byte
	ends    []int // of the records, in data
}

func newSampleJournal(t *testing.T, env *testEnv) *sampleJournal {
	t.Helper()
	if env.driver.Bytes == nil {
		t.Skip("the driver's journals have no bytes of their own")
	}
	s := &sampleJournal{testEnv: env, store: env.open(t), id: "a", records: []event.Record{created("a")}}
	j := create(t, s.store, s.id)
	s.records = append(s.records, appendAll(t, j, append(unusualRecords(), notes(2)...)...)...)
	closeOrFail(t, j)
	var err error
	if s.data, err = env.driver.Bytes.Load(env.location, s.id); err != nil {
		t.Fatal(err)
	}
	if s.ends = env.driver.Bytes.Ends(s.data); len(s.ends) != len(s.records) || s.ends[len(s.ends)-1] != len(s.data) {
		t.Fatalf("%d records end at %v of %d bytes", len(s.records), s.ends, len(s.data))
	}
	return s
}

func (s *sampleJournal) save(t *testing.T, data []byte) {
	t.Helper()
	if err := s.driver.Bytes.Save(s.location, s.id, data); err != nil {
		t.Fatal(err)
	}
}

// start returns the offset of record number seq.
func (s *sampleJournal) start(seq int) int {
	if seq == 1 {
		return 0
	}
	return s.ends[seq-2]
}

// wantTorn checks that a truncated journal is read, leased and continued after its complete records.
func (s *sampleJournal) wantTorn(t *testing.T, cut int) {
	t.Helper()
	whole := 0
	for whole < len(s.ends) && s.ends[whole] <= cut {
		whole++
	}
	s.save(t, s.data[:cut])
	wantRecords(t, s.store, s.id, s.records[:whole])
	j := lease(t, s.store, s.id)
	if j.Head() != uint64(whole) {
		t.Fatalf("Head after a cut at byte %d = %d, want %d", cut, j.Head(), whole)
	}
	more := appendAll(t, j, notes(2)...)
	closeOrFail(t, j)
	wantRecords(t, s.store, s.id, slices.Concat(s.records[:whole], more))
}

// skipWhole skips a test of incomplete records if the medium has none.
func (env *testEnv) skipWhole(t *testing.T) {
	t.Helper()
	if env.driver.WholeRecords {
		t.Skip("nothing can be torn")
	}
}

func testTornAtEveryByte(t *testing.T, env *testEnv) {
	racetest.Skip(t, racetest.Sequential)
	env.skipWhole(t)
	s := newSampleJournal(t, env)
	for cut := s.start(len(s.records)); cut <= len(s.data); cut++ {
		s.wantTorn(t, cut)
	}
}

func testTornAnywhere(t *testing.T, env *testEnv) {
	racetest.Skip(t, racetest.Sequential)
	env.skipWhole(t)
	s := newSampleJournal(t, env)
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		s.wantTorn(t, s.ends[0]+random.IntN(len(s.data)-s.ends[0]+1))
	}
	for _, cut := range []int{0, 1, s.ends[0] - 1} {
		s.save(t, s.data[:cut])
		s.wantDamage(t, 1)
	}
}

// slowFlips is how many bits of a journal there are for each that is flipped if that is slow. It is prime to
// 8, so that every bit of a byte is among them.
const slowFlips = 17

// testFlippedBits flips one bit of each byte, and every bit of the last record, one at a time. In the
// last record that may look like an incomplete write; anywhere else it is reported as damage.
func testFlippedBits(t *testing.T, env *testEnv) {
	racetest.Skip(t, racetest.Sequential)
	s := newSampleJournal(t, env)
	seq := 1
	for i := range s.data {
		if i == s.ends[seq-1] {
			seq++
		}
		for bit := range 8 {
			if bit != i%8 && seq < len(s.records) || s.driver.SlowBytes && (8*i+bit)%racetest.Size(slowFlips, 5*slowFlips) != 0 {
				continue
			}
			damaged := slices.Clone(s.data)
			damaged[i] ^= 1 << bit
			s.save(t, damaged)
			records, err := read(t, s.store, s.id, 0)
			if seq == len(s.records) && err == nil && !s.driver.WholeRecords {
				if len(records) != seq-1 {
					t.Fatalf("bit %d of byte %d flipped: Read = %d records, want %d", bit, i, len(records), seq-1)
				}
				continue
			}
			s.wantDamageOf(t, records, err, seq)
			if bit == i%8 {
				s.wantDamage(t, seq)
			}
		}
	}
}

// wantDamage checks that Lease returns an error, and Read yields the records before the damage.
func (s *sampleJournal) wantDamage(t *testing.T, seq int) {
	t.Helper()
	records, err := read(t, s.store, s.id, 0)
	s.wantDamageOf(t, records, err, seq)
	if j, err := s.store.Lease(t.Context(), s.id); err == nil {
		t.Errorf("damaged journal is leased, head %d", j.Head())
		closeOrFail(t, j)
	} else {
		s.wantDamageOf(t, records, err, seq)
	}
}

func (s *sampleJournal) wantDamageOf(t *testing.T, records []event.Record, err error, seq int) {
	t.Helper()
	damage, ok := errors.AsType[*journal.DamageError](err)
	if !ok {
		t.Fatalf("record %d is damaged, error = %v", seq, err)
	}
	if damage.Seq != uint64(seq) || damage.Offset != int64(s.start(seq)) || damage.Path == "" || damage.Reason == "" {
		t.Fatalf("damage = %+v, want record %d at byte %d", damage, seq, s.start(seq))
	}
	if len(records) != seq-1 {
		t.Fatalf("%d records are read before the damage of record %d", len(records), seq)
	}
}

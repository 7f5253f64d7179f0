package jetstream

import (
	"strconv"
	"sync"
	"time"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/stream"
)

// A memory is the numbers of the last entries that a Store knows. A leader that was deposed may answer from the past:
// an answer that is older than what is known is asked for again. Messages pass on what their sender knew: an entry the
// number of the ledger, a task in a queue the number of its log.
type memory struct {
	mu    sync.Mutex
	known map[string]uint64 // by subject
}

// headerLedger is the number of the last entry of the ledger that the writer of an entry knew.
const headerLedger = "Parley-Ledger"

const (
	// maxKnown is how many logs are remembered. More are forgotten all together: that is no mistake, only no help.
	maxKnown = 10_000
	// removedPatience is how long a log may seem to be empty that had entries, before it counts as removed.
	removedPatience = time.Second
)

func (y *memory) learn(subject string, number uint64) {
	if number == 0 {
		return
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.known == nil || len(y.known) >= maxKnown {
		y.known = map[string]uint64{}
	}
	y.known[subject] = max(y.known[subject], number)
}

func (y *memory) number(subject string) uint64 {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.known[subject]
}

func (y *memory) forget(subject string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	delete(y.known, subject)
}

// learn stores the number of an entry that was read.
func (s *Store) learn(n stream.Namespace, m *stream.Message) {
	if m.Seq == 0 {
		return
	}
	s.memory.learn(m.Subject, m.Seq)
	log, ok := logOf(m.Subject)
	if ledger, err := strconv.ParseUint(m.Header[headerLedger], 10, 64); ok && err == nil {
		s.memory.learn(ledgerOf(n, log.Batch), ledger)
	}
}

func ledgerOf(n stream.Namespace, id string) string { return n.BatchLog(id, string(batch.LedgerLog)) }

// last returns the last message of a log; one with sequence 0 if there is none.
func (s *Store) last(c *call, subject string) (*stream.Message, error) {
	var pause stream.Backoff
	for begin := time.Now(); ; {
		m, err := stream.LastOnce(c, c.link, subject)
		if err != nil {
			return nil, err
		}
		known, patience := s.memory.number(subject), stream.StalePatience
		if m.Seq == 0 {
			patience = removedPatience
		}
		if m.Seq >= known || time.Since(begin) > patience {
			if m.Seq < known {
				s.memory.forget(subject)
			}
			s.learn(c.link.Namespace, m)
			return m, nil
		}
		if err := pause.Wait(c, stream.MaxPause); err != nil {
			return nil, err
		}
	}
}

package batch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/go-json-experiment/json"
)

// maxLedgers is how many ledgers are cached.
const maxLedgers = 100

// A ledgerCache has the ledgers that this process has stored, by batch. Another process may have stored a later one: an append after one
// from the cache is refused then, so it saves reads and decides nothing.
type ledgerCache struct {
	mu    sync.Mutex // guards known
	known map[string]numberedLedger
}

// A numberedLedger is the ledger of an entry.
type numberedLedger struct {
	ledger
	number uint64 // of the entry; 0: there is none
}

func (c *ledgerCache) get(id string) (numberedLedger, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, known := c.known[id]
	l.Reserved = maps.Clone(l.Reserved)
	return l, known
}

func (c *ledgerCache) put(id string, l numberedLedger) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxLedgers {
		c.known = map[string]numberedLedger{}
	}
	c.known[id] = l
}

// updateLedger changes the ledger of a batch until no other process is faster. change returns false if there is nothing to store; then
// the ledger was not one from the cache.
func (b *Batches) updateLedger(ctx context.Context, id string, change func(*ledger) bool) error {
	l, cached := b.ledgers.get(id)
	for ; ; cached = false {
		if !cached {
			var err error
			if l, err = b.readLedger(ctx, id); err != nil {
				return err
			}
		}
		if !change(&l.ledger) {
			if cached {
				continue
			}
			return nil
		}
		data, err := json.Marshal(l.ledger, json.Deterministic(true))
		if err != nil {
			return err
		}
		number, err := b.store.Append(ctx, Log{Batch: id, Kind: LedgerLog}, l.number, data)
		if err == nil {
			b.ledgers.put(id, numberedLedger{l.ledger, number})
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
}

// readLedger returns the last ledger of a batch.
func (b *Batches) readLedger(ctx context.Context, id string) (l numberedLedger, err error) {
	last, err := b.store.Last(ctx, Log{Batch: id, Kind: LedgerLog})
	switch {
	case errors.Is(err, ErrNoEntry):
		return l, nil
	case err != nil:
		return l, fmt.Errorf("read the ledger of batch %s: %w", id, err)
	}
	l.number = last.Number
	if err := json.Unmarshal(last.Data, &l.ledger); err != nil {
		return l, fmt.Errorf("the ledger of batch %s: %w", id, err)
	}
	return l, nil
}

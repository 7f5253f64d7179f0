package drivers

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/sandbox"
)

const (
	offersFor  = time.Hour   // how long the offers of an agent count
	offerLimit = time.Minute // how long an agent may take
)

// A cache has what the agents of back ends offer. Agents are started for it at most once an hour, in the background.
type cache struct {
	mu      sync.Mutex
	entries map[string]*cacheEntry
	queries sync.WaitGroup
	closing context.CancelFunc // nil: no query was made
	life    context.Context
	closed  bool
}

type cacheEntry struct {
	offers backend.Offers
	known  bool          // an agent has answered
	at     time.Time     // of the last answer or query
	done   chan struct{} // closed when the last query was answered; nil: there was none
}

// get returns what the agent of a back end offers, as far as it is known.
func (c *cache) get(name string) (backend.Offers, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[name]; e != nil {
		return e.offers, e.known
	}
	return backend.Offers{}, false
}

// put stores what an agent offers.
func (c *cache) put(name string, o backend.Offers) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entry(name)
	e.offers, e.known, e.at = o, true, time.Now()
}

// fresh reports whether what the agents of a back end offer is known, and counts still.
func (c *cache) fresh(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[name]
	return e != nil && e.known && time.Since(e.at) < offersFor
}

func (c *cache) entry(name string) *cacheEntry {
	if c.entries == nil {
		c.entries = map[string]*cacheEntry{}
	}
	if c.entries[name] == nil {
		c.entries[name] = &cacheEntry{}
	}
	return c.entries[name]
}

// refresh has query called, unless the offers of the back end count still, and returns a channel that is closed when they are
// there; nil: there is nothing to wait for.
func (c *cache) refresh(name string, query func(context.Context) (backend.Offers, error)) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entry(name)
	if c.closed || !e.at.IsZero() && time.Since(e.at) < offersFor {
		return e.done
	}
	if c.life == nil {
		c.life, c.closing = context.WithCancel(context.Background())
	}
	done := make(chan struct{})
	e.at, e.done = time.Now(), done
	c.queries.Go(func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(c.life, offerLimit)
		defer cancel()
		if o, err := query(ctx); err == nil {
			c.put(name, o)
		}
	})
	return done
}

// close ends the queries.
func (c *cache) close() {
	c.mu.Lock()
	c.closed = true
	if c.closing != nil {
		c.closing()
	}
	c.mu.Unlock()
	c.queries.Wait()
}

// query starts the agent of a back end in an empty folder and returns what it offers. The folder is not a project's: agents run
// hooks and servers that they find there.
func (d *Drivers) query(ctx context.Context, name string) (backend.Offers, error) {
	b, err := d.Backend(name)
	if err != nil {
		return backend.Offers{}, err
	}
	dir, err := os.MkdirTemp("", "parley-offers-")
	if err != nil {
		return backend.Offers{}, err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return backend.Offers{}, err
	}
	confine := sandbox.Policy{Level: sandbox.Full}
	if d.Spawner.Confinement().Available {
		confine = sandbox.Policy{Level: sandbox.WorkspaceWrite, Writable: []string{dir}, Network: true}
	}
	agent, err := b.Open(ctx, backend.Opening{Dir: dir, Confine: confine})
	if err != nil {
		return backend.Offers{}, err
	}
	defer agent.Close()
	return agent.Offers(ctx)
}

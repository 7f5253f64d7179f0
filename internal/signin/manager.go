package signin

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// A Manager signs in to one provider. It is safe for concurrent use, also beside other
// processes with the same store.
type Manager struct {
	o     Options
	store *Store

	life context.Context // until Close
	end  context.CancelFunc
	work sync.WaitGroup // attempts and renewals

	mu      sync.Mutex
	closed  bool
	busy    bool
	refused string // an access token that the provider no longer takes

	renewals singleflight.Group
}

// New opens and asks nothing. Without an issuer and a client_id the Manager keeps keys, and
// has no sign-in.
func New(o Options) *Manager {
	o = o.withDefaults()
	life, end := context.WithCancel(context.Background())
	return &Manager{o: o, store: o.Store, life: life, end: end}
}

// Close cancels a sign-in that is under way, and waits until nothing runs any more.
func (m *Manager) Close() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.end()
	m.work.Wait()
}

// begin counts a piece of work, whose end is m.work.Done; ErrClosed after Close.
func (m *Manager) begin() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	m.work.Add(1)
	return nil
}

// An Account is the account that is signed in.
type Account struct {
	ID     string    // as the issuer calls it; "": it does not say
	Method Method    // Browser or DeviceCode
	Since  time.Time // UTC
}

// Account returns the account that is signed in; ErrSignedOut if none is. It makes no request.
func (m *Manager) Account() (Account, error) {
	c, _, err := m.load()
	return c.account(), err
}

// SignedIn reports whether there is a token, not whether the issuer would still renew it.
func (m *Manager) SignedIn() bool {
	_, _, err := m.load()
	return err == nil
}

// SignOut forgets the tokens; the issuer is not notified. It is no error if no user was signed in.
func (m *Manager) SignOut() error { return m.store.Delete(m.slot()) }

// slot returns where the store has the tokens.
func (m *Manager) slot() string { return "token." + m.o.Provider }

// Format shows no secret, whatever the verb.
func (m *Manager) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "sign-in to "+m.o.Provider) }

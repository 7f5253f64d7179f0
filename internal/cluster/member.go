package cluster

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/boottime"
	"parley.dev/parley/internal/cluster/peer"
	"parley.dev/parley/internal/cluster/tunnel"
	"parley.dev/parley/internal/stream"
)

// Options configure a Member; only Address is required.
type Options struct {
	Address stream.Address
	// HostID is the id of the host; "": one is made up. A process that was started again under its former id
	// gets what its predecessor owned at once.
	HostID string
	// HostName is the name of the machine, for lists and errors; "": that of the system.
	HostName string
	// Version is that of the program, for lists.
	Version string
	// Connection has credentials and certificates.
	Connection stream.ConnectOptions
	// HostTTL is how long the key of a host lasts after its last renewal; 0: 15 s. All hosts of a namespace
	// need the same value.
	HostTTL time.Duration
	// TunnelSilence is after how long without a message a tunnel is broken; 0: 15 s. All hosts of a namespace need the
	// same value.
	TunnelSilence time.Duration
	// Clock is the clock by which the key lasts; nil: boottime.Now. Tests simulate it.
	Clock func() time.Duration
	// Dial connects to the servers instead of stream.Dial; tests simulate them.
	Dial func(ctx context.Context) (*Link, error)
}

// DefaultHostTTL is how long the key of a host lasts after its last renewal.
const DefaultHostTTL = 15 * time.Second

// connectTimeout is how long joining may take.
const connectTimeout = 10 * time.Second

// ErrClosed is the error of a member that was closed.
var ErrClosed = errors.New("the store is closed")

// A Member is this process in a namespace. It connects when it is used first, and has a key, which others see, when
// it joins: what only reads does not join. It is safe for concurrent use.
type Member struct {
	opts     Options
	owner    string // HOST.INCARNATION
	life     context.Context
	end      context.CancelFunc
	running  sync.WaitGroup // the renewals
	handlers map[string]func(argument string) (answer string)
	replaced []func()                      // called when another process uses the id of the host
	renewed  []func(renewal time.Duration) // called after each renewal of the key
	describe func() Description            // the content of its key; nil: nothing
	news     chan struct{}                 // the description has changed
	tunnels  atomic.Int64                  // that are open

	connecting chan struct{} // has room while no caller connects or joins
	serving    bool          // requests are answered; guarded by connecting
	mu         sync.Mutex    // guards the rest
	link       *Link         // nil until the member is used
	key        *key          // nil until it joins
	closed     bool
}

// A Link is what a member has while it is connected.
type Link struct {
	stream.Server
	stream.Feed
	stream.WorkQueues
	Namespace stream.Namespace
	Close     func()
}

// New returns a member that is not connected.
func New(opts Options) *Member {
	if opts.HostID == "" {
		opts.HostID = peer.NewHostID()
	}
	if opts.HostName == "" {
		opts.HostName, _ = os.Hostname()
	}
	if opts.HostTTL == 0 {
		opts.HostTTL = DefaultHostTTL
	}
	if opts.TunnelSilence == 0 {
		opts.TunnelSilence = tunnel.DefaultSilence
	}
	if opts.Clock == nil {
		opts.Clock = boottime.Now
	}
	m := &Member{
		opts: opts, owner: opts.HostID + "." + randomHex(4), handlers: map[string]func(argument string) (answer string){}, connecting: make(chan struct{}, 1),
		news: make(chan struct{}, 1),
	}
	m.life, m.end = context.WithCancel(context.Background())
	return m
}

func randomHex(size int) string {
	b := make([]byte, size)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Owner returns the name of this process among all that have ever been members: HOST.INCARNATION.
func (m *Member) Owner() string { return m.owner }

// HostName returns the name of the machine.
func (m *Member) HostName() string { return m.opts.HostName }

// Address returns the address of the namespace.
func (m *Member) Address() stream.Address { return m.opts.Address }

// OnReplaced adds a function that is called when another process uses the id of this host: what this process
// owns is lost. It must be called before the member is used.
func (m *Member) OnReplaced(f func()) { m.replaced = append(m.replaced, f) }

// OnRenewal adds a function that is called after each renewal of the key with the time at which it was sent, by
// the clock of package boottime: others regard the host as gone HostTTL after that, unless it is renewed again. It
// must be called before the member is used.
func (m *Member) OnRenewal(f func(sent time.Duration)) { m.renewed = append(m.renewed, f) }

// Connect returns the connection, which it makes when it is called first. Errors: ErrClosed, that of ctx.
func (m *Member) Connect(ctx context.Context) (*Link, error) {
	if l, _, err := m.current(); l != nil || err != nil {
		return l, err
	}
	if err := m.begin(ctx); err != nil {
		return nil, err
	}
	defer m.endConnect()
	return m.connect(ctx)
}

// Join connects, and publishes the key of this process unless it has one: others may call it then, and what it claims
// is its own while the key is there. Errors: ErrClosed, *stream.PermissionError, that of ctx.
func (m *Member) Join(ctx context.Context) (*Link, error) {
	l, _, err := m.join(ctx)
	return l, err
}

func (m *Member) join(ctx context.Context) (*Link, *key, error) {
	if l, k, err := m.current(); k != nil || err != nil {
		return l, k, err
	}
	if err := m.begin(ctx); err != nil {
		return nil, nil, err
	}
	defer m.endConnect()
	l, err := m.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	if l, k, err := m.current(); k != nil || err != nil {
		return l, k, err
	}
	k, err := m.publishKey(ctx, l)
	if err != nil {
		return nil, nil, fmt.Errorf("store %s: %w", m.opts.Address, err)
	}
	return l, k, m.adopt(k)
}

// begin waits until no other caller connects or joins. After it endConnect is called.
func (m *Member) begin(ctx context.Context) error {
	select {
	case m.connecting <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *Member) endConnect() { <-m.connecting }

// Current returns the connection; nil: there is none.
func (m *Member) Current() *Link {
	l, _, _ := m.current()
	return l
}

func (m *Member) current() (*Link, *key, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, nil, ErrClosed
	}
	return m.link, m.key, nil
}

// connect is Connect for a caller of begin.
func (m *Member) connect(ctx context.Context) (*Link, error) {
	if l, _, err := m.current(); l != nil || err != nil {
		return l, err
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	dial := m.opts.Dial
	if dial == nil {
		dial = m.dialServers
	}
	l, err := dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", m.opts.Address, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		l.Close()
		return nil, ErrClosed
	}
	m.link = l
	return l, nil
}

// publishKey serves the requests of others, and publishes the key of this process.
func (m *Member) publishKey(ctx context.Context, l *Link) (*key, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if !m.serving {
		if err := l.Serve(l.Namespace.Control(m.owner), m.answer); err != nil {
			return nil, err
		}
		m.serving = true
	}
	k := m.newKey(l)
	return k, k.join(ctx)
}

func (m *Member) newKey(l *Link) *key {
	return &key{
		srv: l, names: l.Namespace, owner: m.owner, id: m.opts.HostID, ttl: m.opts.HostTTL, clock: m.opts.Clock,
		replaced: m.replace, sent: m.renew, changed: make(chan struct{}), data: m.description, departure: m.departure, news: m.news,
	}
}

func (m *Member) dialServers(ctx context.Context) (*Link, error) {
	c, err := stream.Dial(m.opts.Address, m.opts.Connection)
	if err != nil {
		return nil, err
	}
	format, err := c.Format(ctx, m.opts.Address.Namespace)
	if err != nil {
		c.Close()
		return nil, err
	}
	return &Link{Server: c, Feed: c, WorkQueues: c, Namespace: format.Namespace(m.opts.Address.Namespace), Close: c.Close}, nil
}

// adopt makes k the key of the member, and begins to renew it.
func (m *Member) adopt(k *key) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		k.leave() // Close has not seen it
		return ErrClosed
	}
	m.key = k
	m.running.Go(func() { k.run(m.life) })
	return nil
}

// replace is called when another process uses the id of the host.
func (m *Member) replace() {
	for _, f := range m.replaced {
		f()
	}
}

func (m *Member) renew(sent time.Duration) {
	for _, f := range m.renewed {
		f(sent)
	}
}

// AwaitRenewal waits until the key was renewed so recently that work may begin which must not go on at another
// host: within two thirds of HostTTL. It returns how often the key may have been gone so far: after each time,
// others may own what this process owned. Errors: ErrClosed, the cause of ctx.
func (m *Member) AwaitRenewal(ctx context.Context) (gaps uint64, err error) {
	_, k, err := m.join(ctx)
	if err != nil {
		return 0, err
	}
	return k.await(ctx)
}

// Fresh reports whether this process has joined, and AwaitRenewal would return at once.
func (m *Member) Fresh() bool {
	_, k, _ := m.current()
	return k != nil && k.fresh()
}

// Live reports whether an owner may still write. It joins: a key that is missing counts only if this process could renew its own.
func (m *Member) Live(ctx context.Context, owner string) (bool, error) {
	_, k, err := m.join(ctx)
	if err != nil {
		return false, err
	}
	return k.live(ctx, owner)
}

// Close removes the key of the host, if it has one, and ends the connection.
func (m *Member) Close() {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return
	}
	m.closed = true
	l, k := m.link, m.key
	m.mu.Unlock()
	m.end()
	m.running.Wait()
	if k != nil {
		k.leave()
	}
	if l != nil {
		l.Close()
	}
}

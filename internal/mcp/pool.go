package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/mcp/oauth"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool"
)

// Options are the options of a Pool.
type Options struct {
	Spawner *sandbox.Spawner // starts servers that are programs; it must outlive the Pool
	Environ []string         // "NAME=value" for them, free of secrets
	Log     *slog.Logger     // nil: no log
	Version string           // of this program, sent to servers
	SignIn  *oauth.Manager   // has the tokens for remote servers; nil: there are none

	IdleLimit time.Duration // how long a server is kept that no session uses; 0: DefaultIdleLimit
	QuitLimit time.Duration // how long a program may take to end once its input is closed; 0: DefaultQuitLimit
}

// The limits that hold where Options or a tool.Server name none.
const (
	DefaultIdleLimit  = 5 * time.Minute
	DefaultQuitLimit  = time.Second
	DefaultStartLimit = 30 * time.Second // npx and uvx may have to download the program first
	DefaultCallLimit  = 10 * time.Minute
)

// A Pool keeps one connection for each distinct configuration of a server. It is safe for
// use by several goroutines, and uses no resources before tools are requested.
type Pool struct {
	options Options
	pace    pace
	reopen  time.Duration   // how long the stream of a call may fail to be opened again
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	workers workers

	mu    lock.Mutex
	peers map[string]*sharedServer // by key
}

// New returns a Pool, which the caller must Close.
func New(o Options) *Pool {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.IdleLimit = cmp.Or(o.IdleLimit, DefaultIdleLimit)
	o.QuitLimit = cmp.Or(o.QuitLimit, DefaultQuitLimit)
	ctx, cancel := context.WithCancel(context.Background())
	return &Pool{options: o, pace: pace{first: time.Second, most: time.Minute, now: time.Now}, reopen: reopenLimit, ctx: ctx, cancel: cancel, peers: map[string]*sharedServer{}}
}

// Connect returns a tool.Connect. It starts nothing: that is for the first Source.Tools. Since
// Source.Close waits for a status that is being reported, it must not be called with a lock
// held that status acquires.
func (p *Pool) Connect(servers []tool.Server, dir string, status func(event.ServerChanged)) tool.Source {
	s := &source{}
	for _, server := range servers {
		s.users = append(s.users, p.join(server, dir, status))
	}
	return s
}

// Close ends every server, also those in use, and waits for their end.
func (p *Pool) Close() {
	p.cancel()
	p.workers.close()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, peer := range p.peers {
		peer.disarm()
	}
}

// join returns a new user of the shared server with that configuration, which is created if there is none.
func (p *Pool) join(server tool.Server, dir string, status func(event.ServerChanged)) *user {
	config := configOf(server, dir)
	key := keyOf(config)
	p.mu.Lock()
	defer p.mu.Unlock()
	shared := p.peers[key]
	if shared == nil {
		shared = newSharedServer(p, key, config)
		p.peers[key] = shared
	}
	u := &user{peer: shared, name: server.Name, login: cmp.Or(server.Login, plainAddress(config.URL)), only: server.Tools, not: server.DisabledTools, sampling: server.Sampling, trusted: server.Trusted, status: status}
	u.startLimit = cmp.Or(server.StartLimit, DefaultStartLimit)
	u.callLimit = cmp.Or(server.CallLimit, DefaultCallLimit)
	u.inFolder = server.Dir == ""
	shared.enter(u)
	return u
}

// retire ends a server that has had no user for the idle limit.
func (p *Pool) retire(idle *sharedServer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.peers[idle.key] == idle && idle.quit() {
		delete(p.peers, idle.key)
	}
}

// A config is what makes servers distinct: all of a tool.Server but its name and limits.
type config struct {
	Command string
	Args    []string
	Env     map[string]string
	Dir     string // of a program: where it runs. Else the root that it is sent, "": none
	URL     string
	Headers map[string]string
	SSE     bool
	OAuth   tool.OAuthClient
	Secrets []string
	Problem string
}

func configOf(s tool.Server, dir string) config {
	c := config{Command: s.Command, Args: s.Args, Env: s.Env, Dir: s.Dir, URL: s.URL, Headers: s.Headers, SSE: s.SSE, OAuth: s.OAuth, Secrets: s.Secrets, Problem: s.Problem}
	if c.Command != "" {
		c.Dir = filepath.Clean(cmp.Or(s.Dir, dir))
		c.URL, c.Headers, c.SSE, c.OAuth = "", nil, false, tool.OAuthClient{}
	}
	return c
}

func keyOf(c config) string {
	text, err := json.Marshal(c, json.Deterministic(true))
	if err != nil { // bytes that are not UTF-8: such a server cannot work, and is its own
		text = []byte(err.Error())
	}
	sum := sha256.Sum256(text)
	return string(sum[:])
}

// workers are the goroutines of a Pool: none starts once it is closed.
type workers struct {
	mu     lock.Mutex
	closed bool
	group  sync.WaitGroup
}

// start runs f in a goroutine, unless the workers are closed.
func (c *workers) start(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.group.Go(f)
	return true
}

func (c *workers) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.group.Wait()
}

package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"iter"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/cache"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/picture"
	"parley.dev/parley/internal/sessionlog"
	"parley.dev/parley/internal/tool"
)

// The vocabulary of lists, for packages that import the engine only.
type (
	Query   = journal.Query
	Page    = journal.Page
	Summary = journal.Summary
)

// A Model is a provider, and what is known of one of its models.
type Model struct {
	Provider model.Provider
	Info     model.Info
	// Open reports that the endpoint may know models that nothing else knows of.
	Open bool
	// Pictures is what its endpoint takes.
	Pictures picture.Limits
	// MaxTools is how many tools its endpoint takes in a request; 0: any number.
	MaxTools int
}

// Models finds the model of a name as Settings.Model has it. The error is a
// *ProviderError of kind NotConfigured when the model cannot be called; what is known of
// the model is returned all the same.
type Models interface {
	Resolve(name string) (Model, error)
	// Default is the model where none is named.
	Default() string
	// Names is the models that can be called, as Settings.Model has them, sorted.
	Names() []string
	// Discover is the models that can be called, the default first, also those that only
	// their endpoints know of, as far as they answer before ctx ends.
	Discover(ctx context.Context) []Offer
}

// An Offer is a model that can be called.
type Offer struct {
	Name string // as Settings.Model has it
	Info model.Info
}

// Config is what a Host works with. All fields but those with a default are needed.
type Config struct {
	Store  journal.Store
	Models Models
	// Describe returns what is known of a model without a request to its endpoint, which may
	// know another window; default: what Models.Resolve returns.
	Describe func(name string) Model
	// Tools finds a tool by our name of it.
	Tools func(name string) (tool.Tool, bool)
	// Env makes the surroundings of a session's tool calls.
	Env func(dir string) (*tool.Env, error)
	// Grants is what may always be done in a workspace. It is read before each decision; nil: nothing.
	Grants GrantStore
	// Hooks run before and after tool calls, and when turns begin and end; default: there are none.
	Hooks Hooks
	// ApproveAll names profiles whose sessions need an approval for every call where their settings have none of Asking; see
	// [session.Fold].
	ApproveAll []string
	// Budget is what all sessions may use together; nil: there is no limit.
	Budget *Budget
	// Tasks is how subagents work in sessions whose options do not set it; nil: there are none.
	Tasks *TaskSettings
	// CountResumed counts also what other processes have used of a session, when it is opened.
	CountResumed bool
	// UserInstructions is a file of the user's own that stands before the context files of projects, in
	// sessions that have any; "": there is none.
	UserInstructions string
	// Changes returns the files below a folder that are not committed, a line each; default: not known.
	Changes func(ctx context.Context, dir string) ([]string, error)
	// Backend is that of new sessions whose settings name none; "": our own loop.
	Backend string
	// OpenedBackend is that of sessions that this process opens, until their model is changed; "": each keeps its own.
	OpenedBackend string
	// Backends returns the back end of that name; nil: there are none.
	Backends func(name string) (backend.Backend, error)
	// BackendOf returns the back end that has a model, as Settings.Model names it; "": it is a provider's. The model "" is the
	// default. Nil: no back end has models. BackendModel returns the model of sessions of a back end for which none is chosen.
	BackendOf    func(model string) string
	BackendModel func(backend string) string
	// BackendNames returns the back ends that clients may choose; nil: there are none.
	BackendNames func() []string
	// BackendOffers returns what the agent of a back end offers, as far as one has answered; nil: nothing is known.
	BackendOffers func(backend string) (backend.Offers, bool)
	// AwaitOffers waits until the agents of back ends have answered what they offer; nil: there are none.
	AwaitOffers func(ctx context.Context)
	// AgentLimits bounds the agents of a back end; nil: the defaults do.
	AgentLimits func(name string) backend.Limits
	// Servers returns the tool servers of a session in dir whose turns an agent runs, given the session's own; nil: those only.
	Servers func(own []Server, dir string) []Server
	// Price returns what a model of an agent costs, as the agent names it; nil: that is not known of any.
	Price func(model string) (model.Price, bool)
	// Snapshots has what commands change in the files of a git repository recorded, so that it can be restored.
	Snapshots bool
	// Sharing is how sessions are shared; nil: each Open opens a session of its own, which ends with
	// its Close.
	Sharing *Sharing
	// Opened is called with each session that is created or opened to be written, before the caller that opens it has it. It
	// must not wait; nil: nothing is called.
	Opened func(Opened)
	// Connect makes the source of a session's tool servers; default: there are none.
	Connect tool.Connect
	// Defer is above what the definitions of the tools of servers are deferred; default: never.
	Defer Deferral
	Log   *slog.Logger           // default: discard
	Now   func() time.Time       // default: time.Now
	Hex   func(bytes int) string // fresh ids; default: crypto/rand
}

// A Host opens, creates, lists and removes sessions. It is safe for concurrent use.
type Host struct {
	*hostState
	access Access // of the caller

	attached *attachedClients // of the caller; nil: they are not counted
}

// A hostState is what all callers of a host share.
type hostState struct {
	cfg Config

	mu   lock.Mutex
	open map[*Session]*holding    // several may be of one session
	had  map[event.SessionID]bool // every session that was open here

	opening  openings
	watchers hostWatchers
	// finishing is that sessions begin no turns by themselves: their ends are awaited.
	finishing atomic.Bool
	agents    agentPool

	toolsets cache.Bounded[bindings, toolset]
}

// NewHost returns a Host; it touches no disk.
func NewHost(cfg Config) *Host {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Hex == nil {
		cfg.Hex = randomHex
	}
	if cfg.BackendOf == nil {
		cfg.BackendOf = func(string) string { return "" }
	}
	if cfg.BackendModel == nil {
		cfg.BackendModel = func(name string) string { return name + "/" + backend.DefaultModel }
	}
	if cfg.Describe == nil {
		cfg.Describe = func(name string) Model {
			m, _ := cfg.Models.Resolve(name) // what is known is returned all the same
			return m
		}
	}
	return &Host{hostState: &hostState{
		cfg: cfg, open: map[*Session]*holding{}, had: map[event.SessionID]bool{},
		agents:   agentPool{limits: cfg.AgentLimits},
		toolsets: cache.Bounded[bindings, toolset]{Max: 8},
	}}
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails, says its documentation
	return hex.EncodeToString(b)
}

// NewSession says what to create.
type NewSession struct {
	ID        event.SessionID // "": YYYYMMDD-HHMMSS-<6 hex>
	Workspace string          // an existing folder
	Settings  event.Settings
	Parent    event.SessionID
	Created   time.Time // of a session that Fork or Import makes; zero: now
}

// Create makes a session. It reaches the disk with its first prompt, so that sessions
// without one leave nothing behind.
func (h *Host) Create(ctx context.Context, n NewSession, o Options) (*Session, error) {
	workspace, err := h.admit(n.ID, n.Workspace)
	if err != nil {
		return nil, err
	}
	s, err := newSession(h, n.ID, o)
	if err != nil {
		return nil, err
	}
	standard := h.cfg.Backend
	if o.inner {
		standard = "" // a subagent works as its session does
	}
	h.chooseBackend(&n.Settings, standard)
	if s.work.env, err = s.surroundings(cmp.Or(n.Settings.Dir, workspace)); err != nil {
		return nil, err
	}
	if err := h.register(s); err != nil {
		s.leaveDir()
		return nil, err
	}
	s.mu.Lock()
	s.log.Append("", event.SessionCreated{
		Version: event.Version, ID: s.id, Workspace: workspace, Settings: n.Settings, Parent: n.Parent, Profile: s.opts.Profile,
	})
	s.mu.Unlock()
	h.reportOpened(Opened{Session: s, From: 1})
	return s, nil
}

// register makes a session known under its id; without one it makes up ids until one is free.
func (h *Host) register(s *Session) error {
	made := s.id == ""
	err := h.enterNew(s)
	for ; made && errors.Is(err, ErrExists); err = h.enterNew(s) {
		s.id = event.SessionID(h.cfg.Now().UTC().Format("20060102-150405-") + h.cfg.Hex(3))
	}
	return err
}

// enterNew is enter for a session that is being made: its id must not be open here.
func (h *Host) enterNew(s *Session) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.id == "" || h.isOpen(s.id) {
		return ErrExists
	}
	return h.add(s)
}

// enter makes a session known. ErrTooManyOpen.
func (h *Host) enter(s *Session) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.add(s)
}

func (h *Host) add(s *Session) error {
	if limits := h.cfg.Sharing; limits != nil && limits.MaxOpen > 0 && len(h.open) >= limits.MaxOpen {
		return ErrTooManyOpen
	}
	h.open[s] = &holding{holders: 1, ended: make(chan struct{})}
	s.opened.foreign = !h.had[s.id]
	h.had[s.id] = true
	h.watchers.note(s.id)
	return nil
}

func (h *Host) isOpen(id event.SessionID) bool {
	for s := range h.open {
		if s.id == id {
			return true
		}
	}
	return false
}

func (h *Host) leave(s *Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if hold := h.open[s]; hold != nil {
		delete(h.open, s)
		close(hold.ended)
		h.watchers.note(s.id)
		if hold.wake != nil {
			hold.wake()
		}
	}
}

// Session returns an open session of this host; of several that are the same one, any. ErrNoSession.
func (h *Host) Session(id event.SessionID) (*Session, error) {
	s := h.find(id)
	if s == nil || !h.Reaches(s) {
		return nil, ErrNoSession
	}
	return s, nil
}

// find returns an open session of that id; nil: there is none.
func (h *Host) find(id event.SessionID) *Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.open {
		if s.id == id {
			return s
		}
	}
	return nil
}

// List pages sessions, the last updated first unless the query has another order.
func (h *Host) List(ctx context.Context, q Query) (Page, error) {
	page, err := h.cfg.Store.List(ctx, h.limit(q))
	return page, unavailable(err)
}

// Remove deletes a session that is not open here, and that no other process needs. Where
// one has it open the session is not there any more when it wants to go on. *LockedError, ErrNoSession.
func (h *Host) Remove(ctx context.Context, id event.SessionID) error {
	if err := h.visible(ctx, id); err != nil {
		return err
	}
	h.mu.Lock()
	open := h.isOpen(id)
	h.mu.Unlock()
	if open {
		return &LockedError{ID: id, PID: os.Getpid()}
	}
	return h.awaitLease(ctx, id, func() error {
		limited, cancel := h.storeContext(ctx)
		defer cancel()
		err := inTime(ctx, limited, h.cfg.Store.Remove(limited, id))
		if err == nil {
			h.watchers.note(id)
		}
		return err
	})
}

// Read yields the records of a session without opening it; of one that is open here also those that are not on disk.
// ErrNoSession.
func (h *Host) Read(ctx context.Context, id event.SessionID) iter.Seq2[event.Record, error] {
	if err := h.visible(ctx, id); err != nil {
		return func(yield func(event.Record, error) bool) { yield(event.Record{}, err) }
	}
	return h.recordsOf(ctx, id, 1)
}

// Blob returns a payload that a record of a session names, without opening the session.
func (h *Host) Blob(ctx context.Context, id event.SessionID, address string) ([]byte, error) {
	if err := h.visible(ctx, id); err != nil {
		return nil, err
	}
	return h.cfg.Store.Blob(ctx, id, address)
}

// Exists reports whether a session of that id is in the store.
func (h *Host) Exists(ctx context.Context, id event.SessionID) bool { return h.Lookup(ctx, id) == nil }

// Lookup returns ErrNoSession if no session of that id is in the store, and another error, such as ErrUnavailable, if that is not known.
func (h *Host) Lookup(ctx context.Context, id event.SessionID) error {
	if err := h.visible(ctx, id); err != nil {
		return err
	}
	for _, err := range h.cfg.Store.Read(ctx, id, 1) {
		return unavailable(err)
	}
	return ErrNoSession
}

// DefaultModel returns the model where none is named.
func (h *Host) DefaultModel() string { return h.cfg.Models.Default() }

// ModelNames returns the models that can be called.
func (h *Host) ModelNames() []string { return h.cfg.Models.Names() }

// CheckModel returns why a model cannot be called. *ProviderError.
func (h *Host) CheckModel(name string) error {
	_, err := h.cfg.Models.Resolve(name)
	return err
}

// ModelInfo returns what is known of a model, and whether it may exist at all: an id that the
// catalogue does not have may be known to an endpoint that takes any.
func (h *Host) ModelInfo(name string) (info model.Info, plausible bool) {
	m, _ := h.cfg.Models.Resolve(name) // what is known is returned all the same
	return m.Info, m.Info.Known || m.Open
}

// DescribeModel is ModelInfo without a request to the endpoint: its answer never waits, and has the
// endpoint's window only if that is known already.
func (h *Host) DescribeModel(name string) (info model.Info, plausible bool) {
	m := h.cfg.Describe(name)
	return m.Info, m.Info.Known || m.Open
}

// Offers returns the models that can be called, the default first; see Models.Discover.
func (h *Host) Offers(ctx context.Context) []Offer { return h.cfg.Models.Discover(ctx) }

// BackendNames returns the back ends that clients may choose.
func (h *Host) BackendNames() []string {
	names := []string{}
	if h.cfg.BackendNames != nil {
		names = append(names, h.cfg.BackendNames()...)
	}
	return names
}

// AllOffers is Offers, with what the agents of back ends have, for which it waits until ctx ends: agents may take seconds to
// start.
func (h *Host) AllOffers(ctx context.Context) []Offer {
	if h.cfg.AwaitOffers != nil {
		h.cfg.AwaitOffers(ctx)
	}
	return h.Offers(ctx)
}

// Location returns where a session lies on disk, for users.
func (h *Host) Location(id event.SessionID) string { return h.cfg.Store.Location(id) }

// Close closes every open session.
func (h *Host) Close(ctx context.Context) error {
	if h.Deferred() {
		return h.closeTogether(ctx)
	}
	var first error
	for _, s := range h.all() {
		if err := s.End(ctx, EndedByClosing); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// closeTogether is Close with a deferred store, for which each session may wait.
func (h *Host) closeTogether(ctx context.Context) error {
	sessions := h.all()
	errs := make([]error, len(sessions))
	var wg sync.WaitGroup
	for i, s := range sessions {
		wg.Go(func() { errs[i] = s.End(ctx, EndedByClosing) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Holder returns the process that has the lease of a session, which may be this one; 0: none has, or it is not known.
func (h *Host) Holder(id event.SessionID) (pid int) {
	if store, ok := h.cfg.Store.(journal.HolderStore); ok {
		return store.Holder(id)
	}
	return 0
}

// recordsOf yields the records of a session from a number on, as they are now: of one that
// is open here also those that are not on disk. ErrNoSession.
func (h *Host) recordsOf(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error] {
	if s, err := h.Session(id); err == nil && s.unsaved() {
		return s.Log().RecordsFrom(ctx, from)
	}
	return sessionlog.Read(ctx, h.cfg.Store, id, from)
}

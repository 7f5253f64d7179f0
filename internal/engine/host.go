package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/memo"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// The vocabulary of lists, for those who see the engine only.
type (
	Query   = journal.Query
	Page    = journal.Page
	Summary = journal.Summary
)

// A Model is a provider and what is known of the model to ask it for.
type Model struct {
	Provider model.Provider
	Info     model.Info
	// Open says that the endpoint may know models that nobody else knows of.
	Open bool
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
	// Tools finds a tool by our name of it.
	Tools func(name string) (tool.Tool, bool)
	// Env makes the surroundings of a session's tool calls.
	Env func(dir string) (*tool.Env, error)
	// Granted is what may always be done in a workspace. It is asked before each decision;
	// default: nothing.
	Granted func(workspace string) []approval.Grant
	// Hooks is asked before and after tool calls, and when turns begin and end; default: nobody is.
	Hooks Hooks
	// Budget is what all sessions may use together; nil: there is no limit.
	Budget *Budget
	// TaskLimits and SubagentLimits are those of every session, besides its own.
	TaskLimits, SubagentLimits Limits
	// Tasks is how subagents work in sessions whose options do not say it; nil: there are none.
	Tasks *TaskSettings
	// CountResumed counts also what other processes have used of a session, when it is opened.
	CountResumed bool
	// Connect makes the source of a session's tool servers; default: there are none.
	Connect tool.Connect
	Log     *slog.Logger           // default: discard
	Now     func() time.Time       // default: time.Now
	Hex     func(bytes int) string // fresh ids; default: crypto/rand
}

// A Host opens, creates, lists and removes sessions. It is safe for concurrent use.
type Host struct {
	cfg Config

	mu   sync.Mutex
	open map[event.SessionID]*Session
	had  map[event.SessionID]bool // every session that was open here

	toolsets memo.Memo[bindings, toolset]
}

// NewHost is a Host; it touches no disk.
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
	return &Host{
		cfg: cfg, open: map[event.SessionID]*Session{}, had: map[event.SessionID]bool{},
		toolsets: memo.Memo[bindings, toolset]{Most: 8},
	}
}

func (h *Host) granted(workspace string) []approval.Grant {
	if h.cfg.Granted == nil {
		return nil
	}
	return h.cfg.Granted(workspace)
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
	workspace, err := Workspace(n.Workspace)
	if err != nil {
		return nil, err
	}
	s := newSession(h, n.ID, o)
	if s.env, err = s.surroundings(cmp.Or(n.Settings.Dir, workspace)); err != nil {
		return nil, err
	}
	if err := h.register(s); err != nil {
		s.leaveDir()
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.append("", event.SessionCreated{
		Version: event.Version, ID: s.id, Workspace: workspace, Settings: n.Settings, Parent: n.Parent,
	})
	return s, nil
}

// register makes a session known under its id; without one it makes up ids until one is free.
func (h *Host) register(s *Session) error {
	made := s.id == ""
	err := h.enter(s)
	for ; made && err != nil; err = h.enter(s) {
		s.id = event.SessionID(h.cfg.Now().UTC().Format("20060102-150405-") + h.cfg.Hex(3))
	}
	return err
}

// Open takes the lease of a session and brings it back as it was. What a dead process left
// open is closed: its turn is interrupted, tools that had begun have an unknown outcome.
// ErrNoSession, *LockedError, *DamageError.
func (h *Host) Open(ctx context.Context, id event.SessionID, o Options) (*Session, error) {
	f := newFold()
	blob := func(address string) ([]byte, error) { return h.cfg.Store.Blob(ctx, id, address) }
	var refused error // what is on disk is good, and cannot be used
	log, err := h.cfg.Store.Resume(ctx, id, func(rec event.Record) error {
		refused = f.inherit(rec, blob)
		return refused
	})
	switch {
	case refused != nil:
		return nil, fmt.Errorf("open session %s: %w", id, refused)
	case err != nil:
		return nil, fmt.Errorf("open session: %w", err)
	}
	s, err := h.inherit(ctx, log, f, o)
	if err != nil {
		_ = log.Close() // the first error says why
		return nil, fmt.Errorf("open session %s: %w", id, err)
	}
	return s, nil
}

// inherit takes the next record of a journal that somebody else may have written.
func (f *fold) inherit(rec event.Record, blob func(string) ([]byte, error)) error {
	if err := loadOutput(&rec, blob); err != nil {
		return err
	}
	if e, ok := rec.Event.(event.SessionCreated); ok {
		if err := checkVersion(e); err != nil {
			return err
		}
	}
	f.apply(rec)
	return nil
}

// inherit is the session of a journal that was read into f.
func (h *Host) inherit(ctx context.Context, log journal.Journal, f *fold, o Options) (*Session, error) {
	if f.partly {
		loaded, err := f.reload(f.head(), log.Read(ctx, 1), log.Blob)
		if err != nil {
			return nil, err
		}
		f.adopt(loaded)
	}
	s := newSession(h, log.ID(), o)
	s.fold, s.log = f, log
	s.env, _ = s.surroundings(f.state.Dir()) // a folder that is gone is an error of the next prompt
	if err := h.enter(s); err != nil {
		s.leaveDir()
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.closeInherited(); err != nil {
		h.leave(s)
		s.leaveDir()
		return nil, err
	}
	s.countInherited()
	s.clearTasks()
	return s, nil
}

func checkVersion(e event.SessionCreated) error {
	if e.Version > event.Version {
		return fmt.Errorf("its journal has version %d, this program reads up to %d: use a newer one", e.Version, event.Version)
	}
	return nil
}

func (h *Host) enter(s *Session) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.id == "" || h.open[s.id] != nil {
		return &LockedError{ID: s.id, PID: os.Getpid()}
	}
	h.open[s.id] = s
	s.foreign = !h.had[s.id]
	h.had[s.id] = true
	return nil
}

func (h *Host) leave(s *Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open[s.id] == s {
		delete(h.open, s.id)
	}
}

// Session is an open session of this host. ErrNoSession.
func (h *Host) Session(id event.SessionID) (*Session, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.open[id]; s != nil {
		return s, nil
	}
	return nil, ErrNoSession
}

// List pages sessions, the last updated first.
func (h *Host) List(ctx context.Context, q Query) (Page, error) { return h.cfg.Store.List(ctx, q) }

// Remove deletes a session that nobody has open.
func (h *Host) Remove(ctx context.Context, id event.SessionID) error {
	return h.cfg.Store.Remove(ctx, id)
}

// Read yields a session's records without opening it: somebody else may have it. ErrNoSession.
func (h *Host) Read(ctx context.Context, id event.SessionID) iter.Seq2[event.Record, error] {
	return ReadSession(ctx, h.cfg.Store, id)
}

// Blob is a payload that a record of a session names, without opening the session.
func (h *Host) Blob(ctx context.Context, id event.SessionID, address string) ([]byte, error) {
	return h.cfg.Store.Blob(ctx, id, address)
}

// Exists says whether a session of that id is in the store.
func (h *Host) Exists(ctx context.Context, id event.SessionID) bool {
	for _, err := range h.cfg.Store.Read(ctx, id, 1) {
		return err == nil
	}
	return false
}

// DefaultModel is the model where none is named.
func (h *Host) DefaultModel() string { return h.cfg.Models.Default() }

// ModelNames is the models that can be called.
func (h *Host) ModelNames() []string { return h.cfg.Models.Names() }

// CheckModel says why a model cannot be called. *ProviderError.
func (h *Host) CheckModel(name string) error {
	_, err := h.cfg.Models.Resolve(name)
	return err
}

// ModelInfo is what is known of a model, and whether it may exist at all: an id that the
// catalogue does not have may be known to an endpoint that takes any.
func (h *Host) ModelInfo(name string) (info model.Info, plausible bool) {
	m, _ := h.cfg.Models.Resolve(name) // what is known is returned all the same
	return m.Info, m.Info.Known || m.Open
}

// Offers is the models that can be called, the default first; see Models.Discover.
func (h *Host) Offers(ctx context.Context) []Offer { return h.cfg.Models.Discover(ctx) }

// Location is where a session lies on disk, for people.
func (h *Host) Location(id event.SessionID) string { return h.cfg.Store.Location(id) }

// Close closes every open session.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	var sessions []*Session
	for _, s := range h.open {
		sessions = append(sessions, s)
	}
	h.mu.Unlock()
	var first error
	for _, s := range sessions {
		if err := s.Close(ctx); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Workspace is the folder's absolute path with symlinks resolved.
func Workspace(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("workspace %s: %w", dir, err)
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fmt.Errorf("workspace %s: %w", dir, err)
	}
	info, err := os.Stat(resolved)
	if err != nil {
		return "", fmt.Errorf("workspace %s: %w", dir, err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("workspace %s is not a folder", dir)
	}
	return resolved, nil
}

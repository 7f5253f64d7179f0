package token

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/atomicfile"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/regular"
)

// The errors that callers act on.
var (
	ErrNoToken = errors.New("there is no such token")
	ErrTooMany = errors.New("there are as many tokens as possible")
)

const (
	fileVersion = 1
	fileLimit   = 4 << 20 // bytes
	maxTokens   = 1000
)

// Path returns where the tokens of a state folder are.
func Path(home string) string { return filepath.Join(home, "tokens.json") }

// A Store has the tokens of a host. Its methods are safe for concurrent use.
type Store struct {
	path string

	mu     lock.Mutex
	tokens []*entry // in the order of their creation
}

// An entry is a token. Only its timer and the state of ended change.
type entry struct {
	Info
	Hash hash `json:"sha256"`

	ended chan struct{}
	timer *time.Timer // ends it when it expires; nil: it does not
}

// The stored form of all tokens.
type stored struct {
	Version int      `json:"version"`
	Tokens  []*entry `json:"tokens"`
}

// Open reads the tokens at path. There need not be a file yet.
func Open(path string) (*Store, error) {
	s := &Store{path: path}
	return s, s.Reload()
}

// Close ends the timers of the store. It does not end tokens.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.tokens {
		e.stopTimer()
	}
}

// Create makes a token and returns its secret, which is not stored.
func (s *Store) Create(info Info) (Info, string, error) { return s.create(info, false) }

// CreateTemporary makes a token that is not on disk and ends with the process.
func (s *Store) CreateTemporary(info Info) (Info, string, error) { return s.create(info, true) }

func (s *Store) create(info Info, temporary bool) (Info, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tokens) >= maxTokens {
		return Info{}, "", ErrTooMany
	}
	secret := newSecret()
	info.ID, info.Created, info.Expires = newID(), time.Now().UTC().Truncate(time.Second), info.Expires.UTC()
	info.Sessions, info.Temporary = slices.Clone(info.Sessions), temporary
	e := &entry{Info: info, Hash: hashOf(secret)}
	if !temporary {
		if err := s.write(append(slices.Clone(s.tokens), e)); err != nil {
			return Info{}, "", err
		}
	}
	e.begin()
	s.tokens = append(s.tokens, e)
	return info, secret, nil
}

// List returns the tokens that are valid now, in the order of their creation.
func (s *Store) List() []Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []Info{}
	for _, e := range s.tokens {
		if !e.expired(time.Now()) {
			list = append(list, e.Info)
		}
	}
	return list
}

// Revoke removes a token and ends what uses it.
func (s *Store) Revoke(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.tokens, func(e *entry) bool { return e.ID == id })
	if i < 0 {
		return fmt.Errorf("%w: %q", ErrNoToken, id)
	}
	e := s.tokens[i]
	rest := slices.Delete(slices.Clone(s.tokens), i, i+1)
	if !e.Temporary {
		if err := s.write(rest); err != nil {
			return err
		}
	}
	s.tokens = rest
	e.end()
	return nil
}

// Check returns the token with that secret, and what is closed when it is revoked or expires. It takes the same time
// whichever token it is, and whether there is one.
func (s *Store) Check(secret string) (info Info, ended <-chan struct{}, ok bool) {
	given := hashOf(secret)
	s.mu.Lock()
	defer s.mu.Unlock()
	var found *entry
	for _, e := range s.tokens {
		if subtle.ConstantTimeCompare(e.Hash[:], given[:]) == 1 {
			found = e
		}
	}
	if found == nil || found.expired(time.Now()) {
		return Info{}, nil, false
	}
	return found.Info, found.ended, true
}

// Find returns the valid token with that id, and what is closed when it is revoked or expires.
func (s *Store) Find(id string) (info Info, ended <-chan struct{}, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.tokens, func(e *entry) bool { return e.ID == id })
	if i < 0 || s.tokens[i].expired(time.Now()) {
		return Info{}, nil, false
	}
	return s.tokens[i].Info, s.tokens[i].ended, true
}

// Reload reads the file again. A token that is not there any more, or that was changed, ends; those of
// CreateTemporary stay. After an error the store is as it was.
func (s *Store) Reload() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	read, err := readFile(s.path)
	if err != nil {
		return fmt.Errorf("tokens: %w", err)
	}
	var next []*entry
	for _, e := range read {
		i := slices.IndexFunc(s.tokens, func(now *entry) bool { return now.same(e) })
		if i >= 0 {
			next = append(next, s.tokens[i])
			continue
		}
		e.begin()
		next = append(next, e)
	}
	for _, e := range s.tokens {
		switch {
		case slices.Contains(next, e):
		case e.Temporary:
			next = append(next, e)
		default:
			e.end()
		}
	}
	s.tokens = next
	return nil
}

// write stores the tokens but the temporary and the expired ones. The lock is held.
func (s *Store) write(tokens []*entry) error {
	file := stored{Version: fileVersion, Tokens: []*entry{}}
	for _, e := range tokens {
		if !e.Temporary && !e.expired(time.Now()) {
			file.Tokens = append(file.Tokens, e)
		}
	}
	data, err := json.Marshal(file, jsontext.Multiline(true))
	if err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	return WriteSecret(s.path, append(data, '\n'))
}

// WriteSecret replaces the file at path with one that only the user can read.
func WriteSecret(path string, data []byte) error {
	if err := atomicfile.WriteFile(path, data, 0o600); err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	return nil
}

// readFile reads stored tokens.
func readFile(path string) ([]*entry, error) {
	data, err := ReadSecret(path)
	if err != nil || data == nil {
		return nil, err
	}
	return parse(path, data)
}

// ReadSecret returns the content of a file that WriteSecret has written, or nil if there is none. A file that others than the user
// can read or write is refused: its content may be known to them, or be theirs.
func ReadSecret(path string) ([]byte, error) {
	f, err := regular.OpenNoFollow(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return nil, fmt.Errorf("%s has the mode %#o: other users may know or change what it allows; remove the file, which revokes that", path, mode)
	}
	data, err := io.ReadAll(io.LimitReader(f, fileLimit+1))
	if err != nil {
		return nil, err
	}
	if len(data) > fileLimit {
		return nil, fmt.Errorf("%s is longer than %d bytes", path, fileLimit)
	}
	return data, nil
}

// parse reads the text of a file of tokens.
func parse(path string, data []byte) ([]*entry, error) {
	var file stored
	if err := json.Unmarshal(data, &file, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if file.Version != fileVersion {
		return nil, fmt.Errorf("%s has version %d; this program reads %d", path, file.Version, fileVersion)
	}
	seen := map[string]bool{}
	for i, e := range file.Tokens {
		switch {
		case e == nil || e.ID == "" || e.Hash == hash{}:
			return nil, fmt.Errorf("%s: token %d has no id or no hash", path, i+1)
		case seen[e.ID]:
			return nil, fmt.Errorf("%s: the id %q is there twice", path, e.ID)
		}
		seen[e.ID] = true
	}
	return file.Tokens, nil
}

// same reports whether the other entry is this one, unchanged.
func (e *entry) same(other *entry) bool {
	return e.ID == other.ID && e.Hash == other.Hash && e.Role == other.Role && e.Name == other.Name && e.Expires.Equal(other.Expires) &&
		(e.Sessions == nil) == (other.Sessions == nil) && slices.Equal(e.Sessions, other.Sessions) && e.Workspace == other.Workspace
}

// begin makes an entry end when it expires.
func (e *entry) begin() {
	ended := make(chan struct{})
	e.ended = ended
	if !e.Expires.IsZero() {
		e.timer = time.AfterFunc(max(time.Until(e.Expires), 0), func() { close(ended) })
	}
}

// end ends what uses the token, unless it has expired.
func (e *entry) end() {
	if e.timer == nil || e.timer.Stop() {
		close(e.ended)
	}
}

func (e *entry) stopTimer() {
	if e.timer != nil {
		e.timer.Stop()
	}
}

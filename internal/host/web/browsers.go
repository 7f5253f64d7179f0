package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

	"parley.dev/parley/internal/lock"
)

const (
	linkWait    = 60 * time.Second // how long a one-time link is valid
	maxLinks    = 100
	maxBrowsers = 1000
)

var errTooManyLinks = errors.New("there are as many links as possible: wait a minute")

// browsers are the one-time links that were not used yet, and the browsers that have used one. Secrets are stored hashed.
// They end with the process.
type browsers struct {
	mu       lock.Mutex
	links    map[[sha256.Size]byte]link
	signedIn map[[sha256.Size]byte]*browser
}

// A link signs a browser in, once.
type link struct {
	bearer
	expires time.Time
}

// A browser is signed in by a cookie.
type browser struct {
	bearer
	since time.Time
	left  chan struct{} // closed when it is signed out
}

func newBrowsers() *browsers {
	return &browsers{links: map[[sha256.Size]byte]link{}, signedIn: map[[sha256.Size]byte]*browser{}}
}

// newSecret returns 32 random bytes as text.
func newSecret() string {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails, says its documentation
	return base64.RawURLEncoding.EncodeToString(secret)
}

// link makes a one-time link for what a bearer may do, and returns its code.
func (s *browsers) link(b bearer) (code string, expires time.Time, err error) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for hash, l := range s.links {
		if !l.valid(now) {
			delete(s.links, hash)
		}
	}
	if len(s.links) >= maxLinks {
		return "", time.Time{}, errTooManyLinks
	}
	code, expires = newSecret(), now.Add(linkWait)
	s.links[sha256.Sum256([]byte(code))] = link{b, expires}
	return code, expires, nil
}

// exchange uses a link up and returns the secret of a cookie. False: it is not valid.
func (s *browsers) exchange(code string) (secret string, b bearer, ok bool) {
	hash := sha256.Sum256([]byte(code))
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.links[hash]
	delete(s.links, hash)
	if !ok || !l.valid(now) {
		return "", bearer{}, false
	}
	s.makeRoom()
	secret = newSecret()
	in := &browser{bearer: l.bearer, since: now, left: make(chan struct{})}
	in.signedOut = in.left
	s.signedIn[sha256.Sum256([]byte(secret))] = in
	return secret, in.bearer, true
}

// makeRoom signs out the browsers whose token has ended, and if there are too many the one that has been signed in the
// longest. The lock is held.
func (s *browsers) makeRoom() {
	var oldest [sha256.Size]byte
	for hash, in := range s.signedIn {
		if in.over() {
			s.remove(hash)
		} else if first := s.signedIn[oldest]; first == nil || in.since.Before(first.since) {
			oldest = hash
		}
	}
	if len(s.signedIn) >= maxBrowsers {
		s.remove(oldest)
	}
}

func (s *browsers) remove(hash [sha256.Size]byte) {
	if in := s.signedIn[hash]; in != nil {
		close(in.left)
		delete(s.signedIn, hash)
	}
}

// check returns what the browser with that secret may do.
func (s *browsers) check(secret string) (bearer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.signedIn[sha256.Sum256([]byte(secret))]
	if in == nil || in.over() {
		return bearer{}, false
	}
	return in.bearer, true
}

// signOut ends what a browser may do, and its connections.
func (s *browsers) signOut(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(sha256.Sum256([]byte(secret)))
}

func (l link) valid(now time.Time) bool { return now.Before(l.expires) && !l.over() }

// over reports whether the token has ended.
func (b bearer) over() bool {
	select {
	case <-b.ended:
		return true
	default:
		return false
	}
}

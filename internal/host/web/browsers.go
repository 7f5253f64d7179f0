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
	linkWait    = 60 * time.Second    // how long a one-time link is valid
	signInLimit = 30 * 24 * time.Hour // after this time a browser has to sign in again
	maxLinks    = 100
	maxBrowsers = 1000
)

var errTooManyLinks = errors.New("there are as many links as possible: wait a minute")

// browsers are the one-time links that were not used yet, and the browsers that are signed in. Secrets are stored hashed.
// Links end with the process; browsers stay signed in when it is started again.
type browsers struct {
	file browserFile

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

// newBrowsers returns the browsers of a file.
func newBrowsers(file browserFile) (*browsers, error) {
	signedIn, err := file.read()
	return &browsers{file: file, links: map[[sha256.Size]byte]link{}, signedIn: signedIn}, err
}

// newBrowser returns a browser that is signed in since then.
func newBrowser(b bearer, since time.Time) *browser {
	in := &browser{bearer: b, since: since, left: make(chan struct{})}
	in.signedOut = in.left
	return in
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
	secret, b = s.add(l.bearer)
	return secret, b, true
}

// signIn returns the secret of a cookie for what a bearer may do, and the bearer of that browser.
func (s *browsers) signIn(b bearer) (string, bearer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add(b)
}

// add is signIn with the lock held.
func (s *browsers) add(b bearer) (string, bearer) {
	s.makeRoom()
	secret := newSecret()
	in := newBrowser(b, time.Now())
	s.signedIn[sha256.Sum256([]byte(secret))] = in
	s.file.write(s.signedIn)
	return secret, in.bearer
}

// makeRoom signs out the browsers whose token has ended, and if there are too many the one that has been signed in the
// longest. The lock is held.
func (s *browsers) makeRoom() {
	var oldest [sha256.Size]byte
	for hash, in := range s.signedIn {
		if in.expired() {
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
	if in == nil || in.expired() {
		return bearer{}, false
	}
	return in.bearer, true
}

// signOut ends what a browser may do, and its connections.
func (s *browsers) signOut(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(sha256.Sum256([]byte(secret)))
	s.file.write(s.signedIn)
}

// expired reports whether the browser has to sign in again.
func (b *browser) expired() bool { return b.over() || time.Since(b.since) >= signInLimit }

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

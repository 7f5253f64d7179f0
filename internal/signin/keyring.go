package signin

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zalando/go-keyring"
)

const (
	keyringService = "parley"
	keyringLimit   = 5 * time.Second

	// maxItem is what every keyring takes: Windows has room for 2560 bytes, macOS for a
	// command line of 4096 with the secret in base64. Tokens are longer.
	maxItem = 1800
)

// A Keyring keeps items by service and name. A missing one is keyring.ErrNotFound.
type Keyring interface {
	Set(service, name, value string) error
	Get(service, name string) (string, error)
	Delete(service, name string) error
}

// systemKeyring is the one of the desktop, the keychain, or the credential manager.
type systemKeyring struct{}

func (systemKeyring) Set(service, name, value string) error    { return keyring.Set(service, name, value) }
func (systemKeyring) Get(service, name string) (string, error) { return keyring.Get(service, name) }
func (systemKeyring) Delete(service, name string) error        { return keyring.Delete(service, name) }

// A ring is a Keyring that is given up, for the life of the process, when it first fails or
// does not answer in time: no caller waits a second time.
type ring struct {
	keys  Keyring
	limit time.Duration

	mu   sync.Mutex
	lost string // why it is not used; "": it is
	good bool   // it has answered
}

func newRing(o StoreOptions) *ring {
	r := &ring{keys: o.Keyring, limit: cmp.Or(o.Limit, keyringLimit)}
	switch {
	case o.File:
		r.lost = "secrets are configured to be kept in a file"
	case r.keys == nil:
		r.keys = systemKeyring{}
		if !hasKeyring(runtime.GOOS, environOr(o.Environ), os.Getuid()) {
			r.lost = "there is no D-Bus session, and so no keyring"
		}
	}
	return r
}

// hasKeyring reports whether a keyring can be looked for. It is false where the library would start a bus
// of its own for that, and leave it running.
func hasKeyring(system string, environ []string, uid int) bool {
	if slices.Contains([]string{"darwin", "windows"}, system) {
		return true
	}
	if address := variable(environ, "DBUS_SESSION_BUS_ADDRESS"); address != "" {
		return address != "autolaunch:"
	}
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(uid), name)); err == nil {
			return true
		}
	}
	return false
}

var errLost = errors.New("it is not used")

// probe returns why the keyring is not used; "" if it answers.
func (r *ring) probe() string {
	r.mu.Lock()
	lost, good := r.lost, r.good
	r.mu.Unlock()
	if lost != "" || good {
		return lost
	}
	_ = r.ask(func(k Keyring) error {
		_, err := k.Get(keyringService, "probe")
		return err
	}, nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// set stores value as items; all of them or, by its error, none.
func (r *ring) set(item, value string) error {
	return r.ask(func(k Keyring) error {
		i := 0
		for part := range slices.Chunk([]byte(value), maxItem) {
			if err := k.Set(keyringService, numbered(item, i), string(part)); err != nil {
				remove(k, item, i)
				return errors.New(hide(err.Error(), string(part)))
			}
			i++
		}
		return nil
	}, func(k Keyring) { remove(k, item, parts(value)) })
}

// get returns what set stored as n items; ErrNoSecret if one is missing.
func (r *ring) get(item string, n int) (string, error) {
	var value string // not read after ask has timed out
	err := r.ask(func(k Keyring) error {
		var all strings.Builder
		for i := range n {
			part, err := k.Get(keyringService, numbered(item, i))
			if err != nil {
				return err
			}
			all.WriteString(part)
		}
		value = all.String()
		return nil
	}, nil)
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return "", ErrNoSecret
	case err != nil:
		return "", err
	}
	return value, nil
}

func (r *ring) delete(item string, n int) error {
	return r.ask(func(k Keyring) error {
		remove(k, item, n)
		return nil
	}, nil)
}

func remove(k Keyring, item string, n int) {
	for i := range n {
		_ = k.Delete(keyringService, numbered(item, i)) // it may never have been there
	}
}

func numbered(item string, i int) string { return item + "." + strconv.Itoa(i) }
func parts(value string) int             { return (len(value) + maxItem - 1) / maxItem }

// ask does something with the keyring in a goroutine of its own, because no library can
// stop waiting on request. If it ends after the limit, undo reverts what it did.
func (r *ring) ask(do func(Keyring) error, undo func(Keyring)) error {
	r.mu.Lock()
	lost := r.lost
	r.mu.Unlock()
	if lost != "" {
		return fmt.Errorf("%w: %s", errLost, lost)
	}
	answered, left := make(chan error), make(chan struct{})
	go func() {
		err := do(r.keys)
		select {
		case answered <- err:
		case <-left:
			if undo != nil {
				undo(r.keys)
			}
		}
	}()
	late := time.NewTimer(r.limit)
	defer late.Stop()
	select {
	case err := <-answered:
		if err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return r.lose("it fails: " + clip(err.Error()))
		}
		r.mu.Lock()
		r.good = true
		r.mu.Unlock()
		return err
	case <-late.C:
		close(left)
		return r.lose("it did not answer within " + spoken(r.limit))
	}
}

// lose gives the keyring up. The first reason stays.
func (r *ring) lose(reason string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost == "" {
		r.lost = reason
	}
	return fmt.Errorf("%w: %s", errLost, r.lost)
}

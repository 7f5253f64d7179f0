package signin

import (
	"errors"
	"strings"
)

const (
	keyPrefix = "key."
	maxKey    = 4096 // bytes
)

// SetKey stores the API key of a service. Space around it is dropped; no error shows it.
func (m *Manager) SetKey(service, key string) error {
	key = strings.TrimSpace(key)
	if !plain(key, maxKey) {
		return errors.New("this is no API key: one has 1 to 4096 letters, digits and signs, and no space")
	}
	return m.store.Set(keyPrefix+service, key)
}

// Key returns what SetKey stored; ErrNoSecret if it was nothing.
func (m *Manager) Key(service string) (string, error) { return m.store.Get(keyPrefix + service) }

// DeleteKey forgets a key. It is no error if there was none.
func (m *Manager) DeleteKey(service string) error { return m.store.Delete(keyPrefix + service) }

// Keys returns the services that a key is stored for, sorted.
func (m *Manager) Keys() ([]string, error) {
	names, err := m.store.Names()
	var services []string
	for _, name := range names {
		if service, ok := strings.CutPrefix(name, keyPrefix); ok {
			services = append(services, service)
		}
	}
	return services, err
}

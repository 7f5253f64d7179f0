package main

import "slices"

// This file is about keys that people give while the program runs, or gave to an earlier one.

// byToken says whether p is asked with the token of whoever is signed in: there is no key.
func (m *models) byToken(p provider) bool {
	return p.name == "openai" && p.key == "" && m.signedIn != nil && m.signedIn.SignedIn()
}

// all is the providers as they are now.
func (m *models) all() []provider {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.providers
}

// useKey gives a provider a key, or takes it away; one from the environment wins.
func (m *models) useKey(name, key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.providers = slices.Clone(m.providers)
	for i, p := range m.providers {
		if p.name == name && !p.fromEnv {
			m.providers[i].key = key
			delete(m.clients, name)
		}
	}
}

// insist gives a provider a key for this process, whatever the environment says.
func (m *models) insist(name, key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.providers = slices.Clone(m.providers)
	for i, p := range m.providers {
		if p.name == name {
			m.providers[i].key = key
			delete(m.clients, name)
		}
	}
}

// baseURL is where a provider is asked; "" if the library of its wire knows.
func (m *models) baseURL(name string) string {
	for _, p := range m.all() {
		if p.name == name {
			return p.baseURL
		}
	}
	return ""
}

// key is the key of a provider; "" if it has none.
func (m *models) key(name string) string {
	for _, p := range m.all() {
		if p.name == name {
			return p.key
		}
	}
	return ""
}

// useStored takes the keys that people gave in an earlier process.
func (m *models) useStored() {
	for _, p := range m.all() {
		if key, err := m.signedIn.Key(p.name); err == nil {
			m.useKey(p.name, key)
		}
	}
}

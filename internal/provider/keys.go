package provider

import "slices"

// byToken reports whether calls to e have the token of the user who is signed in: there is no key.
func (r *Registry) byToken(e Endpoint) bool {
	return e.Name == "openai" && e.key == "" && r.signedIn != nil && r.signedIn.SignedIn()
}

// Endpoints returns the endpoints as they are now, in order of preference.
func (r *Registry) Endpoints() []Endpoint {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.endpoints
}

// SetKey sets the key of an endpoint; "" removes it. A key from the environment wins over it.
func (r *Registry) SetKey(name, key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endpoints = slices.Clone(r.endpoints)
	for i, e := range r.endpoints {
		if e.Name == name && !e.FromEnv {
			r.endpoints[i].key = key
			delete(r.clients, name)
		}
	}
}

// ForceKey sets the key of an endpoint; it wins over one from the environment.
func (r *Registry) ForceKey(name, key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endpoints = slices.Clone(r.endpoints)
	for i, e := range r.endpoints {
		if e.Name == name {
			r.endpoints[i].key = key
			delete(r.clients, name)
		}
	}
}

// BaseURL returns the address of an endpoint; "" if it is the usual one of its API, or there is no such endpoint.
func (r *Registry) BaseURL(name string) string {
	for _, e := range r.Endpoints() {
		if e.Name == name {
			return e.BaseURL
		}
	}
	return ""
}

// Key returns the key of an endpoint; "" if it has none.
func (r *Registry) Key(name string) string {
	for _, e := range r.Endpoints() {
		if e.Name == name {
			return e.key
		}
	}
	return ""
}

// useStored takes the keys that users gave in an earlier process.
func (r *Registry) useStored() {
	if r.signedIn == nil {
		return
	}
	for _, e := range r.Endpoints() {
		if key, err := r.signedIn.Key(e.Name); err == nil {
			r.SetKey(e.Name, key)
		}
	}
}

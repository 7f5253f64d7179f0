package approval

import "path/filepath"

// Grants are the calls that a person has approved for the rest of the session. What a grant
// covers is that very thing: a command in its folder, a file, a URL, a call of a server's
// tool. The zero value is empty and ready. It has no lock.
type Grants struct {
	commands map[granted]bool
	calls    map[granted]bool
	urls     map[string]bool
	files    map[string]bool
}

// granted is what a grant of a command or of a server's tool is for, all of it compared.
type granted struct{ what, where, tool string }

// Add remembers what r does. What cannot be told apart from something else is not
// remembered: a command without a known folder, a server's call without a Summary that
// shows it. Reading what is protected is approved each time anew.
func (g *Grants) Add(r Request) {
	if key, ok := commandGrant(r); ok {
		g.commands = with(g.commands, key)
	}
	if key, ok := callGrant(r); ok {
		g.calls = with(g.calls, key)
	}
	if r.URL != "" {
		g.urls = with(g.urls, r.URL)
	}
	for _, p := range r.Paths {
		if p.Write && filepath.IsAbs(p.Path) {
			g.files = with(g.files, filepath.Clean(p.Path))
		}
	}
}

// Covers says whether all that r does was added. A call that does nothing which could be
// added is not covered, nor is one without a level or of Admin. Nil Grants cover nothing.
func (g *Grants) Covers(r Request) bool {
	if g == nil || !r.levelled() {
		return false
	}
	some := false
	if r.Command != "" {
		key, ok := commandGrant(r)
		if !ok || !g.commands[key] {
			return false
		}
		some = true
	}
	if r.Server != "" {
		key, ok := callGrant(r)
		if !ok || !g.calls[key] {
			return false
		}
		some = true
	}
	if r.URL != "" {
		if !g.urls[r.URL] {
			return false
		}
		some = true
	}
	for _, p := range r.Paths {
		switch {
		case p.Write:
			if !filepath.IsAbs(p.Path) || !g.files[filepath.Clean(p.Path)] {
				return false
			}
			some = true
		case p.Protected && (r.Command == "" || p.Path != r.Dir):
			return false
		}
	}
	return some
}

func commandGrant(r Request) (granted, bool) {
	return granted{what: r.Command, where: r.Dir}, r.Command != "" && filepath.IsAbs(r.Dir)
}

func callGrant(r Request) (granted, bool) {
	return granted{what: r.Summary, where: r.Server, tool: r.Tool}, r.Server != "" && r.Tool != "" && r.Summary != ""
}

func with[K comparable](set map[K]bool, key K) map[K]bool {
	if set == nil {
		set = map[K]bool{}
	}
	set[key] = true
	return set
}

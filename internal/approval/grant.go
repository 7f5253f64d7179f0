package approval

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// A Grant is an approval that is stored for later calls: its target, level and duration.
type Grant struct {
	ID      string    `json:"id"` // short; the same target, level and scope have the same one
	Target  Target    `json:"target"`
	Level   Level     `json:"level"` // it covers requests up to this level
	Scope   Scope     `json:"scope"`
	Given   time.Time `json:"given,omitzero"`
	Expires time.Time `json:"expires,omitzero"` // from this time on it covers nothing; zero: never
}

// ErrNoGrant is the error for the ID of no grant.
var ErrNoGrant = errors.New("no such grant")

// A Scope is how long a grant is stored.
type Scope string

// The scopes.
const (
	Once    Scope = "once"    // for the requesting call: never stored
	Session Scope = "session" // until the session ends
	Always  Scope = "always"  // for all sessions of a workspace, until it is revoked
)

// A Target is what a Grant covers. Its kind says which fields are used; all others are empty.
// Targets are comparable.
type Target struct {
	Kind      TargetKind `json:"type"`
	Path      string     `json:"path,omitzero"`      // of a path or file: absolute and clean, symlinks resolved
	Recursive bool       `json:"recursive,omitzero"` // of a path: with everything below it
	Pattern   string     `json:"pattern,omitzero"`   // of a domain or command
	Server    string     `json:"server,omitzero"`    // of a tool or call
	Tool      string     `json:"tool,omitzero"`      // of a tool or call: its name in requests to models; of a tool also "*"
	Command   string     `json:"command,omitzero"`   // of a line
	Dir       string     `json:"dir,omitzero"`       // of a line: where it runs
	URL       string     `json:"url,omitzero"`       // of a URL
	Summary   string     `json:"summary,omitzero"`   // of a call: with all of its arguments
}

// A TargetKind is the type of a Target.
type TargetKind string

// The kinds that cover more than one request.
const (
	// TargetPath is a file, or a folder with the entries directly in it or with everything below
	// it. A protected path is covered only if it is the target itself.
	TargetPath TargetKind = "path"
	// TargetDomain is a host: "x.y", "x.y:8080", "*.x.y" for x.y and all below it, "*" for all.
	// Without a port it covers the default ports of http and https.
	TargetDomain TargetKind = "domain"
	// TargetCommand is the words of a command, "git log", of which the last may be "*" for operands
	// and safe options, or "**" for any further words; "*" alone is every line. A line is covered if
	// each of its commands is. Text that cannot be read as such words covers the identical line.
	//
	// Never make a pattern of a line that a model wrote: its "*" would become a wildcard. Use Exactly.
	TargetCommand TargetKind = "command"
	// TargetTool is a tool of a server, or all of them; with the server "*" the tool of any
	// server that has that name in requests to models.
	TargetTool TargetKind = "tool"
)

// The kinds that cover exactly one request.
const (
	TargetFile TargetKind = "file" // writing a file
	TargetLine TargetKind = "line" // a command line in a folder
	TargetURL  TargetKind = "url"
	TargetCall TargetKind = "call" // of a server's tool
)

// Exactly returns what r does, as targets that cover nothing else. There is none for a part that
// cannot be distinguished from others: a command without a known folder, a server's call without
// a Summary that shows it. Nor is there one for paths that are only read: reading a protected
// path needs approval each time.
func Exactly(r Request) []Target {
	var all []Target
	if t, ok := exactLine(r); ok {
		all = append(all, t)
	}
	if t, ok := exactCall(r); ok {
		all = append(all, t)
	}
	if r.URL != "" {
		all = append(all, Target{Kind: TargetURL, URL: r.URL})
	}
	for _, p := range r.Paths {
		if t, ok := exactFile(p); ok {
			all = append(all, t)
		}
	}
	return all
}

func exactLine(r Request) (Target, bool) {
	return Target{Kind: TargetLine, Command: r.Command, Dir: r.Dir}, r.Command != "" && filepath.IsAbs(r.Dir)
}

func exactCall(r Request) (Target, bool) {
	return Target{Kind: TargetCall, Server: r.Server, Tool: r.Tool, Summary: r.Summary},
		r.Server != "" && r.Tool != "" && r.Summary != ""
}

func exactFile(p Path) (Target, bool) {
	return Target{Kind: TargetFile, Path: filepath.Clean(p.Path)}, p.Write && filepath.IsAbs(p.Path)
}

// level returns the level that a request for exactly t needs.
func (t Target) level() Level {
	if t.Kind == TargetFile {
		return Write
	}
	return Execute
}

// String returns the target as the user sees it.
func (t Target) String() string {
	switch t.Kind {
	case TargetPath:
		if t.Recursive {
			return t.Path + " and all below"
		}
		return t.Path
	case TargetFile:
		return t.Path
	case TargetDomain, TargetCommand:
		return t.Pattern
	case TargetTool:
		return t.Server + "." + t.Tool
	case TargetLine:
		return t.Command + " (in " + t.Dir + ")"
	case TargetURL:
		return t.URL
	case TargetCall:
		return t.Summary
	}
	return "unknown"
}

// Validate returns an error, one sentence for the user, if t cannot be granted. It also refuses a
// target that could never cover anything, since the user would believe that it does.
func (t Target) Validate() error {
	var own Target
	var err error
	switch t.Kind {
	case TargetPath:
		own, err = Target{Path: t.Path, Recursive: t.Recursive}, checkPath(t.Path)
	case TargetFile:
		own, err = Target{Path: t.Path}, checkPath(t.Path)
	case TargetDomain:
		own, err = Target{Pattern: t.Pattern}, checkDomain(t.Pattern)
	case TargetCommand:
		own, err = Target{Pattern: t.Pattern}, checkCommand(t.Pattern)
	case TargetTool:
		own = Target{Server: t.Server, Tool: t.Tool}
		if t.Server == "" || t.Tool == "" {
			err = errors.New(`a grant for a tool names its server and the tool, or "*" for all tools of the server`)
		}
	case TargetLine:
		own = Target{Command: t.Command, Dir: t.Dir}
		if strings.TrimSpace(t.Command) == "" || !filepath.IsAbs(t.Dir) {
			err = errors.New("a grant for a command line names the line and an absolute folder")
		}
	case TargetURL:
		own = Target{URL: t.URL}
		if _, parse := url.Parse(t.URL); parse != nil || t.URL == "" {
			err = errors.New("a grant for an address has an address that can be read")
		}
	case TargetCall:
		own = Target{Server: t.Server, Tool: t.Tool, Summary: t.Summary}
		if t.Server == "" || t.Tool == "" || t.Summary == "" {
			err = errors.New("a grant for a call names its server, tool and summary")
		}
	default:
		return fmt.Errorf("unknown type of target %q: expected path, domain, command, tool, file, line, url or call", t.Kind)
	}
	if err != nil {
		return err
	}
	if own.Kind = t.Kind; own != t {
		return fmt.Errorf("a target of type %s has a field that belongs to another type", t.Kind)
	}
	for _, text := range []string{t.Path, t.Pattern, t.Server, t.Tool, t.Command, t.Dir, t.URL, t.Summary} {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return errors.New("a target is valid UTF-8 without NUL characters")
		}
	}
	return nil
}

func checkPath(path string) error {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return fmt.Errorf("a grant for a path names it in full, without \".\", \"..\" or a slash at its end: %q", path)
	}
	return nil
}

// Validate returns an error, one sentence for the user, if g is not valid.
func (g Grant) Validate() error {
	switch {
	case g.Level < Read || g.Level > Admin:
		return errors.New("a grant has a level: read, write, execute or admin")
	case g.Scope != Once && g.Scope != Session && g.Scope != Always:
		return fmt.Errorf("unknown scope of a grant %q: expected once, session or always", g.Scope)
	}
	return g.Target.Validate()
}

// Expired reports whether g covers nothing any more at now; it is expired at Expires itself.
func (g Grant) Expired(now time.Time) bool { return !g.Expires.IsZero() && !now.Before(g.Expires) }

// Named returns g with its ID set.
func (g Grant) Named() Grant {
	t := g.Target
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %t %q %q", []string{
		string(t.Kind), t.Path, t.Pattern, t.Server, t.Tool, t.Command, t.Dir, t.URL, t.Summary,
	}, t.Recursive, g.Level, g.Scope))
	g.ID = strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
	return g
}

// ParseGrant parses the JSON form of a grant. It is strict: an unknown member, or a field that
// the target's kind does not use, is an error, since it could be meant as a restriction. The ID
// is computed, not read.
func ParseGrant(data []byte) (Grant, error) {
	var g Grant
	if err := json.Unmarshal(data, &g, json.RejectUnknownMembers(true)); err != nil {
		return Grant{}, fmt.Errorf("the grant cannot be read: %w", err)
	}
	if err := g.Validate(); err != nil {
		return Grant{}, err
	}
	return g.Named(), nil
}

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

// A Grant is an answer kept for later calls: what it is for, up to which level, how long.
type Grant struct {
	ID      string    `json:"id"` // short; the same target, level and scope have the same one
	Target  Target    `json:"target"`
	Level   Level     `json:"level"` // it satisfies every need up to this level
	Scope   Scope     `json:"scope"`
	Given   time.Time `json:"given,omitzero"`
	Expires time.Time `json:"expires,omitzero"` // from then on it covers nothing; zero: never
}

// Scope is how long a grant is kept.
type Scope string

// The scopes.
const (
	Once    Scope = "once"    // for the call that was asked for: never kept
	Session Scope = "session" // until the session ends
	Always  Scope = "always"  // for all sessions of a workspace, until it is revoked
)

// A Target is what a Grant is for. Which fields count depends on the kind; all others are
// empty. Targets are comparable.
type Target struct {
	Kind      TargetKind `json:"type"`
	Path      string     `json:"path,omitzero"`      // of a path or file: absolute and clean, symlinks resolved
	Recursive bool       `json:"recursive,omitzero"` // of a path: with all that lies below
	Pattern   string     `json:"pattern,omitzero"`   // of a domain or command
	Server    string     `json:"server,omitzero"`    // of a tool or call
	Tool      string     `json:"tool,omitzero"`      // of a tool or call: the name that models know it by; of a tool also "*"
	Command   string     `json:"command,omitzero"`   // of a line
	Dir       string     `json:"dir,omitzero"`       // of a line: where it runs
	URL       string     `json:"url,omitzero"`       // of a URL
	Summary   string     `json:"summary,omitzero"`   // of a call: with all of its arguments
}

// TargetKind says what sort of thing a Target is.
type TargetKind string

// The kinds that are for more than one request.
const (
	// TargetPath is a file or folder and what lies directly in it, or everything below it.
	// What is protected has to be named itself.
	TargetPath TargetKind = "path"
	// TargetDomain is a host: "x.y", "x.y:8080", "*.x.y" for x.y and all below it, "*" for all.
	// Without a port it is for the usual port of http and https.
	TargetDomain TargetKind = "domain"
	// TargetCommand is a command in words, "git log", of which the last may be "*" for any
	// further ones; "*" alone is every line. A line is covered if each of its commands is.
	// What cannot be read as such words stands for the very same line.
	//
	// Never make a pattern of a line that a model wrote: its "*" would be ours. Exactly is for that.
	TargetCommand TargetKind = "command"
	// TargetTool is a tool of a server, or all of them; with the server "*" the tool that
	// models know by that name, whoever has it.
	TargetTool TargetKind = "tool"
)

// The kinds that are for exactly what one request did.
const (
	TargetFile TargetKind = "file" // writing a file
	TargetLine TargetKind = "line" // a command line in a folder
	TargetURL  TargetKind = "url"
	TargetCall TargetKind = "call" // of a server's tool
)

// Exactly is what r does, as targets that cover nothing else. What cannot be told apart
// from something else has none: a command without a known folder, a server's call without
// a Summary that shows it. Nor has what is only read: reading what is protected is approved
// each time anew.
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

// level is what an exact target needs.
func (t Target) level() Level {
	if t.Kind == TargetFile {
		return Write
	}
	return Execute
}

// String is the target for people.
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

// Validate says in a sentence why nothing can be granted with t; a grant that could never
// cover anything is refused too, since a person would take it for one that does.
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

// Validate says in a sentence what is wrong with g.
func (g Grant) Validate() error {
	switch {
	case g.Level < Read || g.Level > Admin:
		return errors.New("a grant has a level: read, write, execute or admin")
	case g.Scope != Once && g.Scope != Session && g.Scope != Always:
		return fmt.Errorf("unknown scope of a grant %q: expected once, session or always", g.Scope)
	}
	return g.Target.Validate()
}

// Expired says whether g is over; it is at the very moment of Expires.
func (g Grant) Expired(now time.Time) bool { return !g.Expires.IsZero() && !now.Before(g.Expires) }

// Named is g with the ID that belongs to it.
func (g Grant) Named() Grant {
	t := g.Target
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %t %q %q", []string{
		string(t.Kind), t.Path, t.Pattern, t.Server, t.Tool, t.Command, t.Dir, t.URL, t.Summary,
	}, t.Recursive, g.Level, g.Scope))
	g.ID = strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
	return g
}

// ParseGrant reads the JSON form of a grant. It is strict: an unknown member or a target
// with too much in it is an error, since what is not understood could be a restriction. The
// ID is made anew.
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

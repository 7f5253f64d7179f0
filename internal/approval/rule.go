package approval

import (
	"errors"
	"fmt"
	"strings"
)

// A Rule gives a Verdict on the calls that it matches. Its text is "tool" or "tool:pattern"; "*"
// in either matches any run of characters. The pattern is matched against the command, the URL,
// or each path of a call.
type Rule struct {
	Verdict Verdict
	Tool    string
	Pattern string // "": every call of the tool
}

// ParseRule parses a rule's text. A rule that cannot be parsed is an error: to drop a deny rule
// silently would allow what it denies.
func ParseRule(v Verdict, text string) (Rule, error) {
	tool, pattern, found := strings.Cut(text, ":")
	if strings.TrimSpace(tool) == "" {
		return Rule{}, fmt.Errorf("permission rule %q names no tool", text)
	}
	if found && strings.TrimSpace(pattern) == "" {
		return Rule{}, fmt.Errorf("permission rule %q has an empty pattern", text)
	}
	return Rule{Verdict: v, Tool: strings.TrimSpace(tool), Pattern: strings.TrimSpace(pattern)}, nil
}

// String returns the rule's text in quotes.
func (r Rule) String() string {
	if r.Pattern == "" {
		return fmt.Sprintf("%q", r.Tool)
	}
	return fmt.Sprintf("%q", r.Tool+":"+r.Pattern)
}

// Matches reports whether the rule applies to req. A shell line is split into its commands: an
// Allow rule has to match all of them, any other rule matches if it matches one. No Allow rule
// matches a line that cannot be parsed or that hides commands in an expansion; every other rule
// matches a line that is too long or too deep to be parsed.
func (r Rule) Matches(req Request) bool {
	if !wild(r.Tool, req.Tool) {
		return false
	}
	if r.Pattern == "" {
		return true
	}
	if req.Command != "" {
		return r.matchesCommand(req.Command)
	}
	if req.URL != "" {
		return wild(r.Pattern, req.URL)
	}
	for _, p := range req.Paths {
		hit := wild(r.Pattern, p.Path) || wild(r.Pattern, p.Shown)
		if hit != (r.Verdict == Allow) {
			return hit // one hit denies; one miss is not allowed
		}
	}
	return r.Verdict == Allow && len(req.Paths) > 0
}

func (r Rule) matchesCommand(line string) bool {
	commands, err := simpleCommands(line)
	if errors.Is(err, errUnclear) {
		return r.Verdict != Allow
	}
	if r.Verdict != Allow {
		for _, command := range commands {
			if wild(r.Pattern, command) {
				return true
			}
		}
		return wild(r.Pattern, line)
	}
	for _, command := range commands {
		if !wild(r.Pattern, command) {
			return false
		}
	}
	return err == nil && len(commands) > 0
}

// wild reports whether text matches a pattern in which "*" is any run of characters.
func wild(pattern, text string) bool {
	first, rest, found := strings.Cut(pattern, "*")
	if !found {
		return pattern == text
	}
	if !strings.HasPrefix(text, first) {
		return false
	}
	text = text[len(first):]
	for {
		piece, next, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(text, piece)
		}
		i := strings.Index(text, piece)
		if i < 0 {
			return false
		}
		text, rest = text[i+len(piece):], next
	}
}

package rule

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A Source is a part of an answer.
type Source string

// The sources.
const (
	Text     Source = "text"
	Thinking Source = "thinking"
	Tool     Source = "tool" // the input of a tool call
)

// A watched is the conditions of a rule, and where they apply.
type watched struct {
	conditions []condition
	scopes     []scope
	globs      []string
}

// A scope is a part of an answer that a rule applies to.
type scope struct {
	source Source
	tool   string // of Tool: its name; "": any
	glob   string // of Tool: of the file of the call; "": any, or no file
}

// editors are the tools that change files, by their names in rules.
var editors = []string{"edit", "write"}

// watch parses the conditions and scopes.
func (r *Rule) watch(fields head) (errs []error) {
	conditions := fields.patterns("condition")
	for _, old := range []string{"ttsr_trigger", "ttsrTrigger"} {
		if len(conditions) == 0 {
			conditions = fields.patterns(old)
		}
	}
	if len(conditions) == 0 {
		return nil
	}
	w := &watched{globs: r.Globs}
	r.Scope = fields.texts("scope")
	for _, c := range conditions {
		if isGlob(c) {
			for _, tool := range editors {
				r.Scope = append(r.Scope, fmt.Sprintf("tool:%s(%s)", tool, c))
			}
			continue
		}
		compiled, err := compile(c)
		if err != nil {
			errs = append(errs, fmt.Errorf("condition %q cannot be used: %w", c, err))
			continue
		}
		r.Condition, w.conditions = append(r.Condition, c), append(w.conditions, compiled)
	}
	if len(r.Condition) == 0 && len(errs) == 0 { // the condition is only that such a file is changed
		any, _ := compile(".*")
		r.Condition, w.conditions = []string{".*"}, []condition{any}
	}
	for _, token := range r.Scope {
		s, err := parseScope(token)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		w.scopes = append(w.scopes, s)
	}
	if len(r.Scope) == 0 {
		w.scopes = []scope{{source: Text}, {source: Tool}}
	}
	if len(w.conditions) > 0 && len(w.scopes) > 0 {
		r.watched = w
	}
	return errs
}

// parseScope parses text, thinking, tool, tool:NAME, tool(GLOB) and tool:NAME(GLOB).
func parseScope(token string) (scope, error) {
	name, glob, hasGlob := strings.Cut(token, "(")
	if hasGlob {
		var closed bool
		if glob, closed = strings.CutSuffix(glob, ")"); !closed || !validGlob(glob) {
			return scope{}, fmt.Errorf("scope %q has no glob in its brackets", token)
		}
		glob = strings.TrimSpace(glob)
	}
	source, tool, hasTool := strings.Cut(strings.TrimSpace(name), ":")
	s := scope{Source(source), strings.TrimSpace(tool), glob}
	switch {
	case s.source == Tool && (!hasTool || s.tool != ""):
		return s, nil
	case (s.source == Text || s.source == Thinking) && !hasTool && !hasGlob:
		return s, nil
	}
	return scope{}, fmt.Errorf("scope %q is none of text, thinking, tool and tool:NAME(GLOB)", token)
}

// isGlob reports whether a condition names files: no regular expression begins with a star, and a
// star after a slash has no use in one.
func isGlob(condition string) bool {
	if !strings.Contains(condition, "*") || strings.ContainsAny(condition, " \t\n\\()^$+|") || !validGlob(condition) {
		return false
	}
	_, err := regexp.Compile(condition)
	return err != nil || strings.Contains(condition, "**/") || strings.Contains(condition, "/*")
}

func validGlob(glob string) bool {
	return strings.TrimSpace(glob) != "" && doublestar.ValidatePattern(filepath.ToSlash(glob))
}

// about reports whether the rule applies to a part of an answer. A call whose file is not known
// yet, "", matches no glob.
func (w *watched) about(at Source, tool, file string) bool {
	if len(w.globs) > 0 && (file == "" || !slices.ContainsFunc(w.globs, func(g string) bool { return matches(g, file) })) {
		return false
	}
	return slices.ContainsFunc(w.scopes, func(s scope) bool {
		return s.source == at && (s.tool == "" || s.tool == tool) && (s.glob == "" || file != "" && matches(s.glob, file))
	})
}

// matches reports whether a glob matches a file's name, its path, or the end of that.
func matches(glob, file string) bool {
	file = strings.TrimPrefix(filepath.ToSlash(filepath.Clean(file)), "./")
	for {
		if ok, _ := doublestar.Match(strings.TrimPrefix(glob, "./"), file); ok { // it is valid
			return true
		}
		_, rest, below := strings.Cut(file, "/")
		if !below {
			return false
		}
		file = rest
	}
}

var errEmpty = errors.New("it is empty")

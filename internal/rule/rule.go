package rule

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/frontmatter"
	"parley.dev/parley/internal/text"
)

// A Rule is the content of a rule file.
type Rule struct {
	Name        string // of the file, without its ending
	Path        string
	Content     string // after the head
	Description string
	Globs       []string // the files that it applies to; none: to everything
	Always      bool     // it is part of the system prompt
	// Condition is regular expressions: text that one of them matches breaks the rule. None: the
	// rule is not watched.
	Condition []string
	Scope     []string // where the conditions are searched for; see parseScope. None: in texts and calls
	Interrupt Mode     // "": the mode for all rules

	watched *watched // nil: nothing to watch
}

// Watched reports whether an answer can break the rule.
func (r *Rule) Watched() bool { return r.watched != nil }

// A Mode says which answers are cut when they break a rule.
type Mode string

// The modes.
const (
	Always Mode = "always"
	Prose  Mode = "prose-only" // texts and reasoning
	Tools  Mode = "tool-only"  // inputs of calls
	Never  Mode = "never"
)

// Cuts reports whether an answer is cut that breaks a rule in this part.
func (m Mode) Cuts(at Source) bool {
	switch m {
	case Never:
		return false
	case Prose:
		return at != Tool
	case Tools:
		return at == Tool
	}
	return true
}

// Cuts reports whether an answer is cut that breaks the rule in this part; standard is the mode of
// rules that have none.
func (r *Rule) Cuts(at Source, standard Mode) bool { return cmp.Or(r.Interrupt, standard).Cuts(at) }

// Parse parses the content of a rule file. The rule can be used despite the errors, one sentence
// each: the parts that they name are ignored.
func Parse(path, content string) (r *Rule, errs []error) {
	head, body := frontmatter.Split(strings.ToValidUTF8(content, "\uFFFD"))
	base := filepath.Base(path)
	r = &Rule{Name: text.Printable(strings.TrimSuffix(base, filepath.Ext(base))), Path: path, Content: strings.TrimSpace(body)}
	fields, err := parseHead(head)
	if err != nil {
		return r, []error{err}
	}
	r.Description = text.Printable(fields.text("description"))
	r.Always = fields.truth("alwaysApply")
	r.Globs = fields.texts("globs")
	for _, glob := range r.Globs {
		if !validGlob(glob) {
			errs = append(errs, fmt.Errorf("glob %q is none: it matches nothing", glob))
		}
	}
	switch mode := Mode(fields.text("interruptMode")); mode {
	case "", Always, Prose, Tools, Never:
		r.Interrupt = mode
	default:
		errs = append(errs, fmt.Errorf("interruptMode %q is none of always, prose-only, tool-only and never", mode))
	}
	return r, append(errs, r.watch(fields)...)
}

// Select divides rules by use: those in the system prompt, those that models can read when they
// need them, and those that are watched.
func Select(rules []*Rule) (always, listed, watched []*Rule) {
	for _, r := range rules {
		switch {
		case r.Watched():
			watched = append(watched, r)
		case r.Always:
			always = append(always, r)
		case r.Description != "":
			listed = append(listed, r)
		}
	}
	return always, listed, watched
}

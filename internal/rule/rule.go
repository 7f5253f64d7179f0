package rule

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"parley.dev/parley/internal/frontmatter"
)

// A Rule is what a file says.
type Rule struct {
	Name        string // of the file, without its ending
	Path        string
	Content     string // behind the head
	Description string
	Globs       []string // files that it is about; none: it is about everything
	Always      bool     // models are told of it from the beginning
	// Condition is regular expressions: whoever writes what one of them matches breaks the
	// rule. None: the rule is only told.
	Condition []string
	Scope     []string // where the conditions are looked for; see parseScope. None: in texts and calls
	Interrupt Mode     // "": as it holds for all

	watched *watched // nil: nothing to watch
}

// Watched says whether there is anything that could break the rule.
func (r *Rule) Watched() bool { return r.watched != nil }

// A Mode says which answers are cut that break a rule.
type Mode string

// The modes.
const (
	Always Mode = "always"
	Prose  Mode = "prose-only" // texts and thoughts
	Tools  Mode = "tool-only"  // inputs of calls
	Never  Mode = "never"
)

// Cuts says whether an answer is cut where a rule is broken by what is written there.
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

// Cuts says whether an answer is cut that breaks the rule at a place; standard holds where
// the rule does not say.
func (r *Rule) Cuts(at Source, standard Mode) bool { return cmp.Or(r.Interrupt, standard).Cuts(at) }

// Parse reads the text of a file. The rule can be used whatever the errors say, a sentence
// each: what they are about counts as if it was not there.
func Parse(path, text string) (r *Rule, errs []error) {
	head, body := frontmatter.Split(strings.ToValidUTF8(text, "\uFFFD"))
	base := filepath.Base(path)
	r = &Rule{Name: oneLine(strings.TrimSuffix(base, filepath.Ext(base))), Path: path, Content: strings.TrimSpace(body)}
	fields, err := parseHead(head)
	if err != nil {
		return r, []error{err}
	}
	r.Description = oneLine(fields.text("description"))
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

// Select divides rules by how models come to know of them: those that they are told from the
// beginning, those that they can read when they need them, and those that are watched.
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

// oneLine is text with every run of white space, and what cannot be shown, as one space.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }), " ")
}

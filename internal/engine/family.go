package engine

import (
	"cmp"
	"strings"

	"parley.dev/parley/internal/lazy"
)

// A Family is the models that were trained on the same tools.
type Family string

// The families that a Binding can be limited to.
const (
	FamilyGPT    Family = "gpt"
	FamilyClaude Family = "claude"
)

// A familyTraits is what the models of one family read besides in a system prompt.
type familyTraits struct {
	name   Family
	models *lazy.Regexp // matches the last part of a model's id
	tool   string       // our own name of the tool that the text is about; offered under another name, perhaps
	text   string       // with one %s: the name that models have for the tool
}

// families is data: which models belong together, and which words help them.
var families = []familyTraits{
	{
		FamilyGPT, &lazy.Regexp{Expr: `^(gpt-|o[134]\b|codex|chatgpt)`}, "patch",
		"To change files use `%s` where you can: it takes the patches that begin with `*** Begin Patch`.",
	},
	{
		FamilyClaude, &lazy.Regexp{Expr: `^claude`}, "edit",
		"`%s` replaces exact text: copy the old text from the file as you read it, with its indentation and without line numbers.",
	},
}

// traitsOf returns the traits of the family of a model, named as in Settings.Model or by its id; the zero
// value if there is none.
func traitsOf(model string) familyTraits {
	id := strings.ToLower(model[strings.LastIndex(model, "/")+1:])
	for _, f := range families {
		if f.models.Get().MatchString(id) {
			return f
		}
	}
	return familyTraits{}
}

// suits reports whether the tool is offered to models of the family f.
func (b *boundTool) suits(f Family) bool { return b.Family == "" || b.Family == f }

// nextFamily returns the family of the model that is called next, as far as its name shows it. It runs under the session's lock.
func (s *Session) nextFamily() Family {
	return traitsOf(cmp.Or(s.fold.State.Settings.Model, s.context.model)).name
}

package model

import (
	"strings"

	"parley.dev/parley/internal/lazy"
)

// Mention returns the reference to a resource, such as a file, as it is in prompts: the resource itself is elsewhere.
func Mention(name, uri string) string { return "[@" + name + "](" + uri + ")" }

// mentions finds references. An address may have parentheses in pairs.
var mentions = lazy.Regexp{Expr: `\[(@[^\]\n]+)\]\((?:[^()\n]|\([^()\n]*\))*\)`}

// Title returns the text of m as a title: of a reference to a resource the name.
func (m Message) Title() string {
	text := m.Text()
	if !strings.Contains(text, "[@") {
		return text
	}
	return mentions.Get().ReplaceAllString(text, "$1")
}

package conversation

import (
	"cmp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/text"
)

// An input is the members of the input of a call.
type input map[string]jsontext.Value

// readInput reads the input of a call; what is no object has no members.
func readInput(value jsontext.Value) (in input) {
	_ = json.Unmarshal(value, &in, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	return in
}

// text returns the first of the members that is a text and not empty.
func (in input) text(names ...string) (s string) {
	for _, name := range names {
		if v := in[name]; v.Kind() == '"' {
			if _ = json.Unmarshal(v, &s, jsontext.AllowInvalidUTF8(true)); s != "" {
				return s
			}
		}
	}
	return ""
}

// command returns the command of a shell; "": there is none.
func (in input) command() string {
	if s := in.text("command", "cmd"); s != "" {
		return s
	}
	if v := cmp.Or(string(in["command"]), string(in["cmd"])); v != "" && v[0] == '[' {
		return v
	}
	return ""
}

// summaryLimit is how long a summary is, in characters.
const summaryLimit = 300

// summary returns what a call does in one line: the most specific member, by the names that tools of all profiles have.
func (in input) summary() string {
	where, s := in.text("path", "file_path"), in.command()
	if pattern := in.text("pattern"); s == "" && pattern != "" {
		s = pattern
		if where != "" && where != "." {
			s += " in " + where
		}
		if files := in.text("glob"); files != "" {
			s += " (" + files + ")"
		}
	}
	s = cmp.Or(s, where, in.text("query", "url", "description", "task", "prompt", "name", "action"))
	return text.ClipRunes(text.OneLine(s), summaryLimit, "…")
}

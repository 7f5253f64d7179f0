package transcript

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// binds are the values of the names of a dialogue, in JSON. The harness defines the names in
// capitals, WORK and HOME; all others are bound where they are first expected.
type binds map[string]jsontext.Value

var (
	nameSyntax = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(\$|[A-Za-z]\w*)`) })
	// quotedName matches a string in a line of JSON that is only a name.
	quotedName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"\$([A-Za-z]\w*)"`) })
)

// wholeName returns the name that text consists of, if a dialogue can bind it.
func wholeName(text string) (string, bool) {
	name, ok := strings.CutPrefix(text, "$")
	if !ok || name == "" || name[0] < 'a' || name[0] > 'z' || nameSyntax().FindString(text) != text {
		return "", false
	}
	return name, true
}

// expandLine returns a line to send with its names replaced by their values. A name of the dialogue
// that is not bound is an error.
func (b binds) expandLine(line string) (string, error) {
	var missing error
	replace := func(match, name string, value func(jsontext.Value) string) string {
		if v, ok := b[name]; ok {
			return value(v)
		}
		if _, ok := wholeName("$" + name); ok {
			missing = fmt.Errorf("$%s is sent before it was bound", name)
		}
		return match
	}
	line = quotedName().ReplaceAllStringFunc(line, func(match string) string {
		return replace(match, match[2:len(match)-1], func(v jsontext.Value) string { return string(v) })
	})
	line = nameSyntax().ReplaceAllStringFunc(line, func(match string) string {
		if match == "$$" {
			return "$"
		}
		return replace(match, match[1:], inner)
	})
	return line, missing
}

// inner returns v as a part of a JSON string.
func inner(v jsontext.Value) string {
	if v.Kind() == '"' {
		return string(v[1 : len(v)-1])
	}
	return string(v)
}

// expandText returns a text that is not JSON with its bound names replaced.
func (b binds) expandText(text string) string {
	return nameSyntax().ReplaceAllStringFunc(text, func(match string) string {
		if match == "$$" {
			return "$"
		}
		v, ok := b[match[1:]]
		if !ok {
			return match
		}
		return plain(v)
	})
}

// plain returns the text of a JSON string, or v itself.
func plain(v jsontext.Value) string {
	if v.Kind() != '"' {
		return string(v)
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return string(v)
	}
	return string(text)
}

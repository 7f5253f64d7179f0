package conform

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lazy"
)

// binds are the values of the names of a dialogue.
type binds map[string]any

// nameSyntax matches a name in a line to send.
var nameSyntax = lazy.Regexp{Expr: `"\$(\w+)"|\$(\w+)`}

// expand returns a line to send with its names replaced by their values. A name in quotes becomes the value as it is, other names
// a part of a string.
func (b binds) expand(line string) (string, error) {
	var missing error
	line = nameSyntax.Get().ReplaceAllStringFunc(line, func(match string) string {
		name := strings.Trim(match, `"$`)
		value, ok := b[name]
		if !ok {
			missing = fmt.Errorf("$%s is sent before it has a value", name)
			return match
		}
		out, err := json.Marshal(value)
		if err != nil {
			missing = err
		}
		if match[0] != '"' {
			return strings.Trim(string(out), `"`)
		}
		return string(out)
	})
	return line, missing
}

// decode returns the value of a line. Names of members may be repeated: some servers do that.
func decode(line string) (value any, err error) {
	err = json.Unmarshal([]byte(line), &value, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return value, err
}

// match compares a line with a pattern. It returns the names that the line gives values to, and the pieces of texts that are joined.
func (b binds) match(pattern string, got any) (found, pieces binds, ok bool) {
	wanted, err := decode(pattern)
	if err != nil {
		return nil, nil, false
	}
	m := matcher{known: b, found: binds{}, pieces: binds{}}
	return m.found, m.pieces, m.value(wanted, got)
}

// A matcher is one comparison.
type matcher struct {
	known, found, pieces binds
}

func (m matcher) value(wanted, got any) bool {
	switch w := wanted.(type) {
	case string:
		return m.string(w, got)
	case map[string]any:
		g, ok := got.(map[string]any)
		return ok && m.object(w, g)
	case []any:
		g, ok := got.([]any)
		return ok && m.array(w, g)
	}
	return reflect.DeepEqual(wanted, got)
}

// object reports whether got has the members of wanted.
func (m matcher) object(wanted, got map[string]any) bool {
	for name, w := range wanted {
		g, there := got[name]
		if w == "!" {
			if there {
				return false
			}
			continue
		}
		if !there || !m.value(w, g) {
			return false
		}
	}
	return true
}

// array reports whether got has the elements of wanted, in this order.
func (m matcher) array(wanted, got []any) bool {
	for _, g := range got {
		if len(wanted) == 0 {
			break
		}
		// An element that matches in part must leave no names.
		try := matcher{known: m.known, found: maps.Clone(m.found), pieces: maps.Clone(m.pieces)}
		if try.value(wanted[0], g) {
			maps.Copy(m.found, try.found)
			maps.Copy(m.pieces, try.pieces)
			wanted = wanted[1:]
		}
	}
	return len(wanted) == 0
}

func (m matcher) string(wanted string, got any) bool {
	text, isText := got.(string)
	if name, ok := strings.CutPrefix(wanted, "$+"); ok {
		m.pieces[name] = text
		return isText
	}
	if name, ok := strings.CutPrefix(wanted, "$"); ok {
		for _, b := range []binds{m.known, m.found} {
			if value, bound := b[name]; bound {
				return reflect.DeepEqual(value, got)
			}
		}
		m.found[name] = got
		return true
	}
	start, open := strings.CutSuffix(wanted, anything)
	inside, contains := strings.CutPrefix(start, anything)
	switch {
	case wanted == anything:
		return true
	case !isText:
		return false
	case open && contains:
		return strings.Contains(strings.ToLower(text), strings.ToLower(inside))
	case open:
		return strings.HasPrefix(text, start)
	}
	return wanted == text
}

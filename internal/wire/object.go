package wire

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// defaultMaxDepth is the maximum nesting of a line if a dialect sets none.
const defaultMaxDepth = 256

// ObjectOptions select how a dialect parses and decodes objects.
type ObjectOptions struct {
	LastDuplicateWins bool // a repeated name replaces the earlier one; otherwise it is an error, at any depth
	MaxDepth          int  // levels of objects and arrays, the outermost being 1; 0 means 256
	Open              bool // Decode ignores unknown names, in every object
	NullIsAbsent      bool // Decode treats a member that is null, in an object or a map, as absent
}

// An Object is one JSON object, parsed one level deep: its values are checked but not
// decoded. It refers to the line from which it was parsed and is valid only as long as that is.
type Object struct {
	members []member // in the order of the line, repeated names included
	options ObjectOptions
}

type member struct {
	name  []byte // unescaped
	value jsontext.Value
}

// ParseObject parses a line that contains one JSON object, with optional white space around it.
//
// It checks the whole line, including nested values: JSON grammar, UTF-8, escapes, depth, repeated
// names. It reads the escape of half a surrogate pair as U+FFFD; the object then refers to a copy
// of the line. The error is a *SyntaxError, or ErrNotObject for other valid JSON. RecoverObject
// returns what can be read of an invalid line.
func ParseObject(line []byte, o ObjectOptions) (Object, error) {
	if o.MaxDepth == 0 {
		o.MaxDepth = defaultMaxDepth
	}
	line = replaceSurrogates(line)
	if deeperThan(line, o.MaxDepth) {
		return Object{}, &SyntaxError{fmt.Sprintf("line nests deeper than %d levels", o.MaxDepth)}
	}
	c := openCursor(line, o.LastDuplicateWins)
	defer c.close()
	isObject := c.nextIs(jsontext.KindBeginObject)
	members, err := c.members(isObject)
	switch {
	case err != nil:
		return Object{}, syntaxError(line, err)
	case len(bytes.Trim(c.rest(), whiteSpace+"\n")) > 0:
		return Object{}, trailingError(line)
	case !isObject:
		return Object{}, ErrNotObject
	}
	return Object{members, o}, nil
}

// OpenObject parses a value of a line that ParseObject has checked. It reads only the value's own
// level again. The error is ErrNotObject.
func OpenObject(value jsontext.Value, o ObjectOptions) (Object, error) {
	members, err := membersOf(value)
	if err != nil {
		return Object{}, ErrNotObject
	}
	return Object{members, o}, nil
}

// members reads an object and returns its members; it skips any other value and returns none.
func (c *cursor) members(isObject bool) ([]member, error) {
	if !isObject {
		_, err := c.value()
		return nil, err
	}
	if err := c.delimiter(); err != nil {
		return nil, err
	}
	members := make([]member, 0, 8)
	for !c.nextIs(jsontext.KindEndObject) {
		name, err := c.value()
		if err != nil {
			return nil, err
		}
		value, err := c.value()
		if err != nil {
			return nil, err
		}
		members = append(members, member{unquote(name), value})
	}
	return members, c.delimiter()
}

// unquote returns the text of a valid JSON string: a slice of it if nothing was escaped.
func unquote(quoted jsontext.Value) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, []byte(quoted)) // cannot fail: the decoder accepted it
	return text
}

// Names returns the names of the members in the order of the line, each once.
func (o Object) Names() []string {
	names := make([]string, 0, len(o.members))
	seen := make(map[string]bool, len(o.members))
	for _, m := range o.members {
		name := string(m.name)
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// Get returns the value of the member with exactly this name, as it is in the line.
func (o Object) Get(name string) (jsontext.Value, bool) {
	for i := len(o.members) - 1; i >= 0; i-- {
		if string(o.members[i].name) == name {
			return o.members[i].value, true
		}
	}
	return nil, false
}

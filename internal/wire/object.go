package wire

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// defaultMaxDepth is how deep a line may nest where the dialect does not say.
const defaultMaxDepth = 256

// ObjectOptions are a dialect's manners in reading an object.
type ObjectOptions struct {
	LastDuplicateWins bool // a repeated name replaces the earlier one; otherwise it is an error, at any depth
	MaxDepth          int  // levels of objects and arrays, the outermost being 1; 0 means 256
	Open              bool // Decode ignores unknown names, in every object
	NullIsAbsent      bool // Decode takes a member that is null, in an object or a map, for one that is not there
}

// An Object is one JSON object, opened one level deep: its values are checked but not
// decoded. It refers to the line it was parsed from and is valid only as long as that is.
type Object struct {
	members []member // in the order of the line, repeated names included
	options ObjectOptions
}

type member struct {
	name  []byte // unescaped
	value jsontext.Value
}

// ParseObject opens a line that holds one JSON object, white space around it allowed.
//
// The whole line is checked, nested values included: JSON grammar, UTF-8, escapes, depth,
// repeated names. The error is a *SyntaxError, or ErrNotObject for other valid JSON.
func ParseObject(line []byte, o ObjectOptions) (Object, error) {
	if o.MaxDepth == 0 {
		o.MaxDepth = defaultMaxDepth
	}
	if deeperThan(line, o.MaxDepth) {
		return Object{}, &SyntaxError{fmt.Sprintf("line nests deeper than %d levels", o.MaxDepth)}
	}
	c := openCursor(line, o.LastDuplicateWins)
	defer c.close()
	isObject := c.at(jsontext.KindBeginObject)
	members, err := c.members(isObject)
	switch {
	case err != nil:
		return Object{}, syntaxError(line, err)
	case len(bytes.Trim(c.rest(), blanks+"\n")) > 0:
		return Object{}, trailingError(line)
	case !isObject:
		return Object{}, ErrNotObject
	}
	return Object{members, o}, nil
}

// OpenObject opens a value that lies in a line which ParseObject has checked: only its own
// level is read again. The error is ErrNotObject.
func OpenObject(value jsontext.Value, o ObjectOptions) (Object, error) {
	members, err := membersOf(value)
	if err != nil {
		return Object{}, ErrNotObject
	}
	return Object{members, o}, nil
}

// members reads an object's members; of any other value it reads past, and returns none.
func (c *cursor) members(isObject bool) ([]member, error) {
	if !isObject {
		_, err := c.value()
		return nil, err
	}
	if err := c.delimiter(); err != nil {
		return nil, err
	}
	members := make([]member, 0, 8)
	for !c.at(jsontext.KindEndObject) {
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

// unquote is the text of a valid JSON string: a slice of it where nothing was escaped.
func unquote(quoted jsontext.Value) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, []byte(quoted)) // cannot fail: the decoder accepted it
	return text
}

// Names are the names of the members in the order of the line, each once.
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

// Get returns the value of the member with exactly this name, as it stands in the line.
func (o Object) Get(name string) (jsontext.Value, bool) {
	for i := len(o.members) - 1; i >= 0; i-- {
		if string(o.members[i].name) == name {
			return o.members[i].value, true
		}
	}
	return nil, false
}

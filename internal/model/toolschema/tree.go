package toolschema

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// A node is a JSON value whose members keep their order.
type node struct {
	scalar  jsontext.Value // of a value that is neither an object nor an array
	members []member
	items   []*node
	kind    jsontext.Kind
}

type member struct {
	name  string
	value *node
}

// parse reads one JSON value. Of members with the same name the last counts.
func parse(data []byte) (*node, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return read(dec)
}

func read(dec *jsontext.Decoder) (*node, error) {
	n := &node{kind: dec.PeekKind()}
	if n.kind != '{' && n.kind != '[' {
		value, err := dec.ReadValue()
		n.scalar = value.Clone()
		return n, err
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	for end := n.kind + 2; dec.PeekKind() != end; { // } and ] are two after { and [
		var name string
		if n.kind == '{' {
			token, err := dec.ReadToken()
			if err != nil {
				return nil, err
			}
			name = token.String()
		}
		value, err := read(dec)
		if err != nil {
			return nil, err
		}
		if n.kind == '{' {
			n.set(name, value)
		} else {
			n.items = append(n.items, value)
		}
	}
	_, err := dec.ReadToken()
	return n, err
}

// encode returns n as JSON without spaces.
func (n *node) encode() jsontext.Value {
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out, jsontext.AllowInvalidUTF8(true))
	if err := n.write(enc); err != nil {
		return nil
	}
	return bytes.TrimSpace(out.Bytes())
}

func (n *node) write(enc *jsontext.Encoder) error {
	switch n.kind {
	case '{':
		if err := enc.WriteToken(jsontext.BeginObject); err != nil {
			return err
		}
		for _, m := range n.members {
			if err := enc.WriteToken(jsontext.String(m.name)); err != nil {
				return err
			}
			if err := m.value.write(enc); err != nil {
				return err
			}
		}
		return enc.WriteToken(jsontext.EndObject)
	case '[':
		if err := enc.WriteToken(jsontext.BeginArray); err != nil {
			return err
		}
		for _, item := range n.items {
			if err := item.write(enc); err != nil {
				return err
			}
		}
		return enc.WriteToken(jsontext.EndArray)
	}
	return enc.WriteValue(n.scalar)
}

func object(members ...member) *node { return &node{kind: '{', members: members} }

func array(items ...*node) *node { return &node{kind: '[', items: items} }

func text(s string) *node {
	quoted, _ := jsontext.AppendQuote(nil, s) // only invalid UTF-8 is an error, and the result is right all the same
	return &node{kind: '"', scalar: quoted}
}

// get returns the member called name; nil: there is none.
func (n *node) get(name string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// set changes or adds a member.
func (n *node) set(name string, value *node) {
	for i := range n.members {
		if n.members[i].name == name {
			n.members[i].value = value
			return
		}
	}
	n.members = append(n.members, member{name, value})
}

// add sets a member unless there is one.
func (n *node) add(name string, value *node) {
	if n.get(name) == nil {
		n.set(name, value)
	}
}

func (n *node) remove(names ...string) {
	n.members = slices.DeleteFunc(n.members, func(m member) bool { return slices.Contains(names, m.name) })
}

// text returns a JSON string; "": it is none.
func (n *node) text() string {
	if n == nil || n.kind != '"' {
		return ""
	}
	s, _ := jsontext.AppendUnquote(nil, n.scalar) // parse has checked it
	return string(s)
}

// texts returns the strings of an array.
func (n *node) texts() (all []string) {
	if n == nil || n.kind != '[' {
		return nil
	}
	for _, item := range n.items {
		if item.kind == '"' {
			all = append(all, item.text())
		}
	}
	return all
}

func textArray(all []string) *node {
	n := array()
	for _, s := range all {
		n.items = append(n.items, text(s))
	}
	return n
}

func (n *node) isObject() bool { return n != nil && n.kind == '{' }

func (n *node) isArray() bool { return n != nil && n.kind == '[' }

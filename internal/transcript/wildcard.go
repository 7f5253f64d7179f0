package transcript

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A member is a key of an object and its value, both as written.
type member struct {
	name, value jsontext.Value
}

// sameKind reports whether two lines begin with the same key and, if the values are plain texts,
// with the same value: most protocols distinguish their messages by this.
func sameKind(old, line string) bool {
	a, okA := members(jsontext.Value(old))
	b, okB := members(jsontext.Value(line))
	if !okA || !okB || len(a) == 0 || len(b) == 0 {
		return okA == okB && len(a) == len(b)
	}
	if string(a[0].name) != string(b[0].name) {
		return false
	}
	if a[0].value.Kind() != '"' || b[0].value.Kind() != '"' || strings.ContainsAny(plain(a[0].value), "$*") {
		return true
	}
	return string(a[0].value) == string(b[0].value)
}

// keepWildcards returns line as an expected line, with the names and stars that old has at the same
// positions.
func (p *play) keepWildcards(old, line string) string {
	if !jsontext.Value(old).IsValid() || !jsontext.Value(line).IsValid() {
		return p.folders.hide(line)
	}
	return string(p.keep(jsontext.Value(old), jsontext.Value(line)))
}

func (p *play) keep(old, got jsontext.Value) jsontext.Value {
	if old.Kind() == '"' && p.wild(old, got) {
		return old
	}
	if old.Kind() != got.Kind() || got.Kind() != '{' && got.Kind() != '[' {
		return jsontext.Value(p.folders.hide(string(got)))
	}
	had, _ := members(old)
	has, _ := members(got)
	parts := make([][]byte, len(has))
	for i, m := range has {
		value := jsontext.Value(p.folders.hide(string(m.value)))
		if before, ok := find(had, m.name, i); ok {
			value = p.keep(before, m.value)
		}
		if parts[i] = value; m.name != nil {
			parts[i] = append(append(append([]byte{}, m.name...), ':'), value...)
		}
	}
	inside := bytes.Join(parts, []byte(","))
	if got.Kind() == '[' {
		return append(append([]byte{'['}, inside...), ']')
	}
	return append(append([]byte{'{'}, inside...), '}')
}

// wild reports whether the expected string old still matches got; it binds a new name.
func (p *play) wild(old, got jsontext.Value) bool {
	m := matcher{binds: p.binds}
	return strings.ContainsAny(plain(old), "$*") && m.line(string(old), string(got)) == nil
}

// find returns the value of the member called name; of an array, the i-th element.
func find(members []member, name jsontext.Value, i int) (jsontext.Value, bool) {
	if name == nil {
		if i < len(members) {
			return members[i].value, true
		}
		return nil, false
	}
	for _, m := range members {
		if string(m.name) == string(name) {
			return m.value, true
		}
	}
	return nil, false
}

// members returns the members of an object, or the elements of an array; not ok if v is neither.
func members(v jsontext.Value) ([]member, bool) {
	kind := v.Kind()
	if kind != '{' && kind != '[' {
		return nil, false
	}
	d := jsontext.NewDecoder(bytes.NewReader(v))
	if _, err := d.ReadToken(); err != nil {
		return nil, false
	}
	var all []member
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		var m member
		if kind == '{' {
			name, err := d.ReadValue()
			if err != nil {
				return nil, false
			}
			m.name = name.Clone()
		}
		value, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		m.value = value.Clone()
		all = append(all, m)
	}
	return all, true
}

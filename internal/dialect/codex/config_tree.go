package codex

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/wire"
)

// A tree is a configuration: objects within objects, whose leaves are values of any other type.
type tree map[string]any

// treeOf returns an object as a tree.
func treeOf(value jsontext.Value) (tree, error) {
	var members map[string]jsontext.Value
	if err := wire.DecodeValue(value, &members, frames.Object); err != nil {
		return nil, err
	}
	t := tree{}
	for name, member := range members {
		node, err := nodeOf(member)
		if err != nil {
			return nil, err
		}
		t[name] = node
	}
	return t, nil
}

// putNull adds the members of an object that are null, and that the tree lacks.
func (t tree) putNull(object jsontext.Value) {
	var members map[string]jsontext.Value
	_ = json.Unmarshal(object, &members) // it is an object
	for name, value := range members {
		if _, ok := t[name]; !ok && value.Kind() == jsontext.KindNull {
			t[name] = value
		}
	}
}

// nodeOf returns a value as a part of a tree.
func nodeOf(value jsontext.Value) (any, error) {
	if value.Kind() == jsontext.KindBeginObject {
		return treeOf(value)
	}
	return value.Clone(), nil
}

// treeOfKeys returns the tree of values under dotted keys.
func treeOfKeys(values map[string]jsontext.Value) (tree, error) {
	t := tree{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		path, err := pathOf(key)
		if err != nil {
			return nil, err
		}
		node, err := nodeOf(values[key])
		if err != nil {
			return nil, err
		}
		t.put(path, node, true)
	}
	return t, nil
}

// pathOf returns the names in a dotted key. A name in quotes may have dots.
func pathOf(key string) (path []string, err error) {
	rest := key
	for {
		var name string
		if strings.HasPrefix(rest, `"`) {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, problem("keyPath", "has a quote without an end")
			}
			name, _ = strconv.Unquote(quoted)
			rest = rest[len(quoted):]
		} else {
			end := strings.IndexByte(rest, '.')
			if end < 0 {
				end = len(rest)
			}
			name, rest = rest[:end], rest[end:]
		}
		if name == "" || rest != "" && rest[0] != '.' {
			return nil, problem("keyPath", "must be names with a dot between them")
		}
		path = append(path, name)
		if rest == "" {
			return path, nil
		}
		rest = rest[1:]
	}
}

// put places a node at a path; what is in the way of it is replaced. Null removes what is there. Merged, the members of an object
// are added to those of one that is there.
func (t tree) put(path []string, node any, merged bool) {
	name := path[0]
	if len(path) > 1 {
		child, ok := t[name].(tree)
		if !ok {
			if isNull(node) {
				return
			}
			child = tree{}
			t[name] = child
		}
		child.put(path[1:], node, merged)
		return
	}
	old, isTree := t[name].(tree)
	given, ok := node.(tree)
	switch {
	case isNull(node):
		delete(t, name)
	case merged && isTree && ok:
		for member, value := range given {
			old.put([]string{member}, value, true)
		}
	default:
		t[name] = node
	}
}

func isNull(node any) bool {
	value, ok := node.(jsontext.Value)
	return ok && value.Kind() == jsontext.KindNull
}

// clone returns a copy, whose leaves are shared.
func (t tree) clone() tree {
	copied := maps.Clone(t)
	for name, node := range copied {
		if child, ok := node.(tree); ok {
			copied[name] = child.clone()
		}
	}
	return copied
}

// value returns the tree as JSON, the members in order.
func (t tree) value() jsontext.Value { return marshal(map[string]any(t)) }

// leaves returns the dotted keys of the values, in order.
func (t tree) leaves() (keys []string) {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		shown := name
		if strings.ContainsAny(name, `."`) {
			shown = strconv.Quote(name)
		}
		child, ok := t[name].(tree)
		if !ok {
			keys = append(keys, shown)
			continue
		}
		for _, key := range child.leaves() {
			keys = append(keys, shown+"."+key)
		}
	}
	return keys
}

// settings returns the keys of the tree that are known. The error names one whose value cannot be used.
func (t tree) settings() (c ConfigTOML, err error) {
	if err := decodeTree(t, &c); err != nil {
		return c, err
	}
	for key, word := range map[string]struct {
		given string
		words []string
	}{
		"sandbox_mode":            {string(c.SandboxMode), []string{"read-only", "workspace-write", "danger-full-access"}},
		"web_search":              {string(c.WebSearch), []string{"disabled", "cached", "indexed", "live"}},
		"model_reasoning_summary": {string(c.ModelReasoningSummary), []string{"auto", "concise", "detailed", "none"}},
	} {
		if word.given != "" && !slices.Contains(word.words, word.given) {
			return c, appserver.Below(key, unknownWord(word.given, word.words...))
		}
	}
	return c, nil
}

// decodeTree stores the members of a tree that a struct has.
func decodeTree(t tree, dst any) error { return wire.DecodeValue(t.value(), dst, frames.Object) }

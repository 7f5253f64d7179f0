package toolschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model/profile"
)

// maxName is the longest name of a property.
const maxName = 64

// rename gives properties names that the endpoint takes (Anthropic: letters, digits, "_", ".", "-").
// OpenAI takes any.
func (f *fitter) rename(root *node) {
	if f.dialect == profile.OpenAISchema {
		return
	}
	used := map[string]bool{}
	eachProperties(root, 0, func(n *node) {
		for _, m := range n.get("properties").members {
			used[m.name] = true
		}
	})
	sent := map[string]string{} // by the tool's own name
	eachProperties(root, 0, func(n *node) {
		properties := object(slices.Clone(n.get("properties").members)...)
		changed := false
		for i, m := range properties.members {
			if legal(m.name) {
				continue
			}
			if sent[m.name] == "" {
				sent[m.name] = legalName(m.name, used)
			}
			properties.members[i].name, changed = sent[m.name], true
		}
		if !changed {
			return
		}
		n.set("properties", properties)
		if required := n.get("required"); required.isArray() {
			names := required.texts()
			for i, name := range names {
				if other := sent[name]; other != "" {
					names[i] = other
				}
			}
			n.set("required", textArray(names))
		}
	})
	if len(sent) > 0 {
		f.names = map[string]string{}
		for own, name := range sent {
			f.names[name] = own
		}
	}
}

// eachProperties calls do for each schema in n that has properties.
func eachProperties(n *node, depth int, do func(*node)) {
	if n == nil || depth > 2*maxDepth {
		return
	}
	if n.get("properties").isObject() {
		do(n)
	}
	for _, m := range n.members {
		eachProperties(m.value, depth+1, do)
	}
	for _, item := range n.items {
		eachProperties(item, depth+1, do)
	}
}

func legal(name string) bool {
	return name != "" && len(name) <= maxName && strings.IndexFunc(name, illegal) < 0
}

func illegal(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '.' && r != '-'
}

// legalName returns a name like own that is not used, and is from now on.
func legalName(own string, used map[string]bool) string {
	base := strings.Map(func(r rune) rune {
		if illegal(r) {
			return '_'
		}
		return r
	}, own)
	base = base[:min(len(base), maxName-5)]
	if base == "" {
		base = "_"
	}
	name := base
	for n := 2; used[name]; n++ {
		name = base + "_" + strconv.Itoa(n)
	}
	used[name] = true
	return name
}

// renamed returns input with the names of members changed as names says; input itself if there are
// none of them, or it is no object.
func renamed(input jsontext.Value, names map[string]string) jsontext.Value {
	root, err := parse(input)
	if err != nil || !root.isObject() || !root.rename(names, 0) {
		return input
	}
	return root.encode()
}

func (n *node) rename(names map[string]string, depth int) (changed bool) {
	if depth > 2*maxDepth {
		return false
	}
	for i, m := range n.members {
		if name, ok := names[m.name]; ok && n.get(name) == nil {
			n.members[i].name, changed = name, true
		}
		changed = m.value.rename(names, depth+1) || changed
	}
	for _, item := range n.items {
		changed = item.rename(names, depth+1) || changed
	}
	return changed
}

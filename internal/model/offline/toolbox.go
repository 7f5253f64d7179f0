package offline

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// A toolbox is the tools of a request, found by what they do.
type toolbox struct {
	specs     []model.ToolSpec
	workspace string // absolute; "" if the system prompt does not say
}

func newToolbox(req *model.Request) toolbox {
	b := toolbox{specs: req.Tools}
	for line := range strings.Lines(req.System) {
		if path, ok := strings.CutPrefix(line, "Workspace: "); ok {
			b.workspace = strings.TrimSpace(path)
			break
		}
	}
	return b
}

// A filling is one value for a slot of an input.
type filling struct {
	slot     slot
	value    any
	optional bool // left out where the tool has no such property
}

// A schema is as much of a JSON Schema as the demo looks at.
type schema struct {
	Properties map[string]property `json:"properties"`
	Required   []string            `json:"required"`
}

// A property is one of a schema; its type may be a list, hence raw.
type property struct {
	Type        jsontext.Value `json:"type"`
	Description string         `json:"description"`
}

// call returns a call of the tool for j, or nil if none is offered, it has no place for a
// filling, or it requires something else.
func (b toolbox) call(j job, fillings ...filling) *model.Call {
	for _, name := range toolNames[j] {
		i := slices.IndexFunc(b.specs, func(s model.ToolSpec) bool { return strings.EqualFold(s.Name, name) })
		if i < 0 {
			continue
		}
		var s schema
		if err := json.Unmarshal(b.specs[i].Schema, &s); err != nil {
			continue
		}
		if input, ok := b.fill(s, fillings); ok {
			return &model.Call{Name: b.specs[i].Name, Input: input}
		}
	}
	return nil
}

// fill writes an input that fits s, its keys in the order of the fillings. Of two slots
// that share a key the first gets it.
func (b toolbox) fill(s schema, fillings []filling) (jsontext.Value, bool) {
	missing := slices.Clone(s.Required)
	var input []byte
	used := map[string]bool{}
	for _, f := range fillings {
		key, ok := s.key(f.slot, used)
		if !ok {
			if f.optional {
				continue
			}
			return nil, false
		}
		used[key] = true
		value, err := json.Marshal(b.shape(s.Properties[key], f))
		if err != nil {
			return nil, false
		}
		name, err := jsontext.AppendQuote(nil, key)
		if err != nil {
			return nil, false
		}
		input = append(append(append(append(input, ','), name...), ':'), value...)
		missing = slices.DeleteFunc(missing, func(k string) bool { return k == key })
	}
	if len(missing) > 0 || len(input) == 0 {
		return nil, false
	}
	input[0] = '{'
	return append(input, '}'), true
}

// key returns the property of s that holds slot.
func (s schema) key(want slot, used map[string]bool) (string, bool) {
	for _, name := range keyNames[want] {
		if _, ok := s.Properties[name]; ok && !used[name] {
			return name, true
		}
	}
	return "", false
}

// shape is f's value as p wants it: some tools take a command as a list of arguments, or
// paths in full.
func (b toolbox) shape(p property, f filling) any {
	text, ok := f.value.(string)
	switch {
	case f.slot == commandSlot && strings.Contains(string(p.Type), "array"):
		return []string{"bash", "-c", text}
	case ok && f.slot == pathSlot && b.workspace != "" && wantsAbsolute().MatchString(p.Description):
		return b.absolute(text)
	}
	return f.value
}

func (b toolbox) absolute(path string) string {
	switch {
	case strings.HasPrefix(path, "/"):
		return path
	case path == "." || path == "":
		return b.workspace
	}
	return strings.TrimSuffix(b.workspace, "/") + "/" + strings.TrimPrefix(path, "./")
}

var wantsAbsolute = once(`(?i)\babsolute\b`)

// once returns a regular expression that is compiled when it is first needed.
func once(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

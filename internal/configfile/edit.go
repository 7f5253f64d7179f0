package configfile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// Add returns text with a new setting, whose place names gives: the names of the objects that it is in,
// which are added if they are not there, and its own. Comments and formatting of the rest stay. path is for
// errors; a setting that is there is one.
func Add(path string, text []byte, value jsontext.Value, names ...string) ([]byte, error) {
	root, err := parse(path, text)
	if err != nil {
		return nil, err
	}
	var pointer jsontext.Pointer
	for i, name := range names {
		parent := root.Find(string(pointer))
		object, ok := parent.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("%s: %s is not an object", path, settingName(pointer))
		}
		pointer = pointer.AppendToken(name)
		there := root.Find(string(pointer)) != nil
		switch {
		case there && i < len(names)-1:
			continue
		case there:
			return nil, fmt.Errorf("%s: %s is there already", path, settingName(pointer))
		}
		added := jsontext.Value("{}")
		if i == len(names)-1 {
			added = value
		}
		if err := addMember(&root, object, pointer, added, i); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return root.Pack(), nil
}

// addMember adds a member at the end of object, which is depth objects below the root, and indents it as the file is
// indented.
func addMember(root *hujson.Value, object *hujson.Object, pointer jsontext.Pointer, value jsontext.Value, depth int) error {
	unit := indentation(*root)
	inner, outer := strings.Repeat(unit, depth+1), strings.Repeat(unit, depth)
	value = value.Clone()
	if err := value.Indent(jsontext.WithIndentPrefix(inner), jsontext.WithIndent(unit)); err != nil {
		return err
	}
	empty := len(object.Members) == 0
	lines := empty || bytes.ContainsRune(object.AfterExtra, '\n') || bytes.ContainsRune(object.Members[0].Name.BeforeExtra, '\n')
	patch, err := json.Marshal([]struct {
		Op    string         `json:"op"`
		Path  string         `json:"path"`
		Value jsontext.Value `json:"value"`
	}{{"add", string(pointer), value}})
	if err != nil {
		return err
	}
	if err := root.Patch(patch); err != nil {
		return err
	}
	member := &object.Members[len(object.Members)-1]
	parsed, err := hujson.Parse(value)
	if err != nil {
		return err
	}
	member.Value.Value, member.Value.BeforeExtra = parsed.Value, hujson.Extra(" ")
	before := strings.TrimRight(string(member.Name.BeforeExtra), " \t\n")
	switch {
	case lines:
		before += "\n" + inner
	case before == "" || !strings.HasSuffix(before, " "):
		before += " "
	}
	member.Name.BeforeExtra = hujson.Extra(before)
	if empty && !bytes.ContainsRune(object.AfterExtra, '\n') {
		object.AfterExtra = append(slices.Clip(object.AfterExtra), "\n"+outer...)
	}
	return nil
}

// Remove returns text without the setting at names, and reports whether it was there. Comments and
// formatting of the rest stay.
func Remove(path string, text []byte, names ...string) ([]byte, bool, error) {
	root, err := parse(path, text)
	if err != nil {
		return nil, false, err
	}
	var pointer jsontext.Pointer
	for _, name := range names {
		pointer = pointer.AppendToken(name)
	}
	if root.Find(string(pointer)) == nil {
		return text, false, nil
	}
	patch, err := json.Marshal([]struct {
		Op   string `json:"op"`
		Path string `json:"path"`
	}{{"remove", string(pointer)}})
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", path, err)
	}
	object, _ := root.Find(string(pointer.Parent())).Value.(*hujson.Object)
	closing := ""
	if object != nil {
		closing = lastLine(object.AfterExtra)
	}
	if err := root.Patch(patch); err != nil {
		return nil, false, fmt.Errorf("%s: %w", path, err)
	}
	if object != nil { // what was last is not any more: the brace stays where it was
		object.AfterExtra = append(slices.Clip(bytes.TrimSuffix(object.AfterExtra, []byte(lastLine(object.AfterExtra)))), closing...)
	}
	return root.Pack(), true, nil
}

// lastLine returns the white space at the end of text after its last newline; "" without one.
func lastLine(text []byte) string {
	i := bytes.LastIndexByte(text, '\n')
	if i < 0 || len(bytes.TrimSpace(text[i:])) > 0 {
		return ""
	}
	return string(text[i+1:])
}

// parse returns the object that a text has; one that has nothing but comments gets an empty one.
func parse(path string, text []byte) (hujson.Value, error) {
	root, err := hujson.Parse(text)
	if err != nil {
		whole := slices.Clone(text)
		if len(whole) > 0 && whole[len(whole)-1] != '\n' {
			whole = append(whole, '\n')
		}
		bare, bareErr := hujson.Parse(append(whole, "{}\n"...))
		if bareErr != nil {
			return hujson.Value{}, (File{path: path, text: text}).syntaxError(err)
		}
		root = bare
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return hujson.Value{}, errors.New(path + ": expected an object")
	}
	return root, nil
}

// indentation returns what a file indents its settings with.
func indentation(root hujson.Value) string {
	for _, member := range root.Value.(*hujson.Object).Members {
		if _, indent, ok := strings.Cut(string(member.Name.BeforeExtra), "\n"); ok {
			indent = indent[strings.LastIndex(indent, "\n")+1:]
			if indent != "" && strings.Trim(indent, " \t") == "" {
				return indent
			}
		}
	}
	return "  "
}

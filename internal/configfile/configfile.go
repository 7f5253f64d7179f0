// Package configfile decodes configuration files: JSON with comments and trailing commas. Its errors
// name the file, the line and the setting, and for an unknown setting the known one that is most similar.
package configfile

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"parley.dev/parley/internal/lazy"
)

// A File is a decoded configuration file. The zero File has no settings.
type File struct {
	path string
	text []byte
	root hujson.Value
}

// Decode decodes text into the struct that into points to; path is for errors. Fields that are not
// in text keep their values, and a text of white space and comments has no settings. Unknown
// settings are errors if o contains json.RejectUnknownMembers.
func Decode(path string, text []byte, into any, o ...json.Options) (File, error) {
	f := File{path: path, text: text}
	var err error
	if f.root, err = hujson.Parse(text); err != nil {
		if _, bare := hujson.Parse(append(slices.Clone(text), "\n{}"...)); bare == nil {
			return File{path: path}, nil // white space and comments
		}
		return f, f.syntaxError(err)
	}
	plain := f.root.Clone()
	plain.Standardize() // offsets stay as they are
	data := plain.Pack()
	if kind := jsontext.Value(data).Kind(); kind != jsontext.KindBeginObject {
		return f, fmt.Errorf("%s:%d: expected an object, found %s", path, f.lineAt(f.root.StartOffset), kindName(kind))
	}
	if err := json.Unmarshal(data, into, o...); err != nil {
		return f, fmt.Errorf("%s:%d: %s", path, f.lineOf(pointerOf(err)), Problem(err, into, "setting"))
	}
	return f, nil
}

// Names returns the names of the settings at the top level, sorted.
func (f File) Names() []string {
	object, ok := f.root.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	var names []string
	for _, member := range object.Members {
		names = append(names, member.Name.Value.(hujson.Literal).String())
	}
	slices.Sort(names)
	return names
}

// Line returns the line of a setting, which is named as in errors: "providers.work.api",
// "folders[1]". For a setting that is not in the file it returns the line of the innermost value
// that would contain it.
func (f File) Line(setting string) int {
	var pointer jsontext.Pointer
	for token := range strings.SplitSeq(strings.NewReplacer("[", ".", "]", "").Replace(setting), ".") {
		pointer = pointer.AppendToken(token)
	}
	return f.lineOf(pointer)
}

func (f File) lineOf(pointer jsontext.Pointer) int {
	for ; pointer != ""; pointer = pointer.Parent() {
		if found := f.root.Find(string(pointer)); found != nil {
			return f.lineAt(found.StartOffset)
		}
	}
	return f.lineAt(f.root.StartOffset)
}

func (f File) lineAt(offset int) int {
	return 1 + strings.Count(string(f.text[:min(offset, len(f.text))]), "\n")
}

// syntaxPosition matches the beginning of errors of hujson, which have no type.
var syntaxPosition = lazy.Regexp{Expr: `^hujson: line (\d+), column \d+: `}

func (f File) syntaxError(err error) error {
	line, text := 1, err.Error()
	if at := syntaxPosition.Get().FindStringSubmatch(text); at != nil {
		line, _ = strconv.Atoi(at[1])
		text = strings.TrimPrefix(text, at[0])
	}
	return fmt.Errorf("%s:%d: %s", f.path, line, strings.ReplaceAll(text, "unexpected EOF", "unexpected end of the file"))
}

func pointerOf(err error) jsontext.Pointer {
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		return e.JSONPointer
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return e.JSONPointer
	}
	return ""
}

// settingNames returns the names of the members that the object at pointer may have in a value of type t.
func settingNames(t reflect.Type, pointer jsontext.Pointer) []string {
	for token := range pointer.Tokens() {
		switch t = elem(t); t.Kind() {
		case reflect.Map, reflect.Slice:
			t = t.Elem()
		case reflect.Struct:
			field, ok := fields(t)[token]
			if !ok {
				return nil
			}
			t = field
		default:
			return nil
		}
	}
	if t = elem(t); t.Kind() != reflect.Struct {
		return nil
	}
	return slices.Sorted(maps.Keys(fields(t)))
}

// elem returns the type that t points to, or t if it is no pointer.
func elem(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// fields returns the types of the settings in t by name, including those of embedded structs.
func fields(t reflect.Type) map[string]reflect.Type {
	found := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
			found[name] = field.Type
		}
	}
	return found
}

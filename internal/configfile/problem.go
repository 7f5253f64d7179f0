package configfile

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/spelling"
)

// Problem describes why JSON could not be decoded into the value of into, in terms of JSON instead
// of Go. member is the word for a member of an object, e.g. "setting".
func Problem(err error, into any, member string) string {
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		return semanticProblem(e, reflect.TypeOf(into), member)
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		problem := strings.ReplaceAll(e.Err.Error(), "unexpected EOF", "unexpected end")
		if errors.Is(e, jsontext.ErrDuplicateName) {
			problem = "it is there twice"
		}
		if name := settingName(e.JSONPointer); name != "" {
			return name + ": " + problem
		}
		return problem
	}
	return err.Error()
}

func semanticProblem(e *json.SemanticError, t reflect.Type, member string) string {
	name := settingName(e.JSONPointer)
	if errors.Is(e, json.ErrUnknownName) {
		problem := fmt.Sprintf("there is no %s %q", member, name)
		if near := spelling.Nearest(e.JSONPointer.LastToken(), settingNames(t, e.JSONPointer.Parent())); near != "" {
			problem += fmt.Sprintf("; did you mean %q?", near)
		}
		return problem
	}
	if name != "" {
		name += ": "
	}
	if expected := expectedValue(e.GoType); expected != "" && e.JSONKind != 0 {
		found := kindName(e.JSONKind)
		if e.JSONKind == jsontext.KindNumber && len(e.JSONValue) > 0 {
			found = string(e.JSONValue)
		}
		return fmt.Sprintf("%sexpected %s, found %s", name, expected, found)
	}
	if e.Err != nil {
		return name + e.Err.Error()
	}
	return name + "the value cannot be read"
}

// settingName formats a pointer as errors name settings.
func settingName(pointer jsontext.Pointer) string {
	var name strings.Builder
	for token := range pointer.Tokens() {
		if _, err := strconv.Atoi(token); err == nil {
			fmt.Fprintf(&name, "[%s]", token)
			continue
		}
		if name.Len() > 0 {
			name.WriteByte('.')
		}
		name.WriteString(token)
	}
	return name.String()
}

// expectedValue returns the kind of JSON value for type t; "" if there is not exactly one.
func expectedValue(t reflect.Type) string {
	if t == nil {
		return ""
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	}
	return ""
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "a list"
	}
	return kind.String() // true, false, null
}

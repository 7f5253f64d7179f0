// Package arguments repairs the arguments of tool calls by the schemas of the tools, and names what is
// wrong with those that cannot be repaired. It knows how models write arguments, and no tools.
package arguments

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// Repair returns input with what models often get wrong put right, as far as the schema says what
// is meant:
//
//   - null for an optional member, and an empty list where one has to have items, are removed;
//   - numbers, booleans, lists and objects written as strings are parsed, and 1.0 is 1;
//   - numbers and booleans become strings, and a single value becomes a list of one;
//   - numbers beyond a limit are set to the limit;
//   - other names of members are replaced by those of the schema, and explanations are removed;
//   - a command that is a list of words becomes text for a shell.
//
// What needs no repair is returned as it is.
func Repair(schema *jsonschema.Schema, input jsontext.Value) jsontext.Value {
	repaired := repair(schema, "", input)
	if bytes.Equal(repaired, input) {
		return input
	}
	return repaired
}

// repair is Repair for the member of that name.
func repair(s *jsonschema.Schema, name string, value jsontext.Value) jsontext.Value {
	if s == nil {
		return value
	}
	switch s.Type {
	case "object":
		return repairObject(s, unquoted(value, '{'))
	case "array":
		return repairList(s, unquoted(value, '['))
	case "integer", "number":
		return repairNumber(s, value)
	case "boolean":
		switch strings.ToLower(scalar(value)) {
		case "true", "1", "yes":
			return jsontext.Value("true")
		case "false", "0", "no":
			return jsontext.Value("false")
		}
	case "string":
		switch value.Kind() {
		case '0', 't', 'f':
			return quoted(string(value))
		case '[':
			if name == "command" {
				return repairCommand(value)
			}
		}
	}
	return value
}

func repairObject(s *jsonschema.Schema, value jsontext.Value) jsontext.Value {
	var members map[string]jsontext.Value
	if value.Kind() != '{' || json.Unmarshal(value, &members) != nil {
		return value
	}
	changed := rename(s, members)
	for name, member := range members {
		property, known := s.Properties[name]
		if !known {
			continue
		}
		required := slices.Contains(s.Required, name)
		fixed := member
		if member.Kind() != 'n' {
			fixed = repair(property, name, member)
		}
		empty := property.Type == "array" && property.MinItems != nil && *property.MinItems > 0 && string(bytes.TrimSpace(fixed)) == "[]"
		switch {
		case !required && (empty || member.Kind() == 'n' && !takesNull(property)):
			delete(members, name)
			changed = true
		case !bytes.Equal(fixed, member):
			members[name], changed = fixed, true
		}
	}
	if !changed {
		return value
	}
	return marshal(members, value)
}

func repairList(s *jsonschema.Schema, value jsontext.Value) jsontext.Value {
	if s.Items == nil {
		return value
	}
	switch value.Kind() {
	case '"':
		if s.Items.Type == "object" {
			value = unquoted(value, '{')
		}
		if value.Kind() == '{' || s.Items.Type == "string" {
			value = list(value)
		}
	case '{':
		if s.Items.Type == "object" {
			value = list(value)
		}
	}
	var items []jsontext.Value
	if value.Kind() != '[' || json.Unmarshal(value, &items) != nil {
		return value
	}
	changed := false
	for i, item := range items {
		fixed := repair(s.Items, "", item)
		if !bytes.Equal(fixed, item) {
			items[i], changed = fixed, true
		}
	}
	if !changed {
		return value
	}
	return marshal(items, value)
}

func repairNumber(s *jsonschema.Schema, value jsontext.Value) jsontext.Value {
	n, err := strconv.ParseFloat(scalar(value), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return value
	}
	within := n
	if s.Minimum != nil {
		within = max(within, *s.Minimum)
	}
	if s.Maximum != nil {
		within = min(within, *s.Maximum)
	}
	if s.Type == "integer" {
		if within != math.Trunc(within) {
			return value
		}
		if value.Kind() == '0' && within == n && !bytes.ContainsAny(value, ".eE") {
			return value
		}
		return jsontext.Value(strconv.FormatFloat(within, 'f', -1, 64))
	}
	if value.Kind() == '0' && within == n {
		return value
	}
	return jsontext.Value(strconv.FormatFloat(within, 'g', -1, 64))
}

// repairCommand returns the text of a command that is a list of words: the script of a shell that
// runs one, else the words in quotes where they need them.
func repairCommand(value jsontext.Value) jsontext.Value {
	var words []string
	if json.Unmarshal(value, &words) != nil || len(words) == 0 {
		return value
	}
	if len(words) == 3 {
		program := words[0][strings.LastIndexByte(words[0], '/')+1:]
		if slices.Contains([]string{"bash", "sh", "zsh", "dash"}, program) && slices.Contains([]string{"-c", "-lc", "-ic", "-lic"}, words[1]) {
			return quoted(words[2])
		}
	}
	if len(words) == 1 {
		return quoted(words[0])
	}
	for i, word := range words {
		plain := strings.IndexFunc(word, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,@%+", r))
		}) < 0
		if word == "" || !plain {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return quoted(strings.Join(words, " "))
}

// unquoted returns the JSON value of that kind that a string holds, or the value itself.
func unquoted(value jsontext.Value, kind jsontext.Kind) jsontext.Value {
	var text string
	if value.Kind() != '"' || json.Unmarshal(value, &text) != nil {
		return value
	}
	inner := jsontext.Value(strings.TrimSpace(text))
	if !inner.IsValid() {
		return value
	}
	if inner.Kind() == kind {
		return inner
	}
	return value
}

// scalar returns a number or a boolean, also one that a string holds, as text; else "".
func scalar(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		var text string
		_ = json.Unmarshal(value, &text)
		return strings.TrimSpace(text)
	case '0', 't', 'f':
		return string(bytes.TrimSpace(value))
	}
	return ""
}

func takesNull(s *jsonschema.Schema) bool {
	return s.Type == "null" || slices.Contains(s.Types, "null") || s.Type == "" && s.Types == nil
}

func quoted(text string) jsontext.Value {
	value, _ := json.Marshal(text) // of valid UTF-8, which JSON is
	return value
}

func list(item jsontext.Value) jsontext.Value { return slices.Concat([]byte("["), item, []byte("]")) }

// marshal returns the JSON of v, or otherwise if there is none.
func marshal(v any, otherwise jsontext.Value) jsontext.Value {
	value, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return otherwise
	}
	return value
}

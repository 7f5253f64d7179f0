package arguments

import (
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/lazy"
)

// aliases are names that tools of other agents have for the same member. A name may be in
// several groups.
var aliases = [][]string{
	{"path", "file_path", "filePath", "filepath", "file", "filename", "file_name", "target_file", "absolute_path"},
	{"path", "dir_path", "dir", "directory", "folder"},
	{"dir", "cwd", "workdir", "working_dir", "working_directory", "workingDirectory", "directory"},
	{"old", "old_string", "old_str", "oldString", "old_text", "oldText", "search"},
	{"new", "new_string", "new_str", "newString", "new_text", "newText", "replace", "replacement"},
	{"replace_all", "replaceAll", "all", "expected_replacements"},
	{"content", "contents", "text", "file_text"},
	{"command", "cmd", "script", "bash_command"},
	{"pattern", "query", "regex", "regexp"},
	{"glob", "include", "file_pattern", "include_pattern"},
	{"mode", "output_mode", "outputMode"},
	{"ignore_case", "-i", "i", "case_insensitive"},
	{"line_numbers", "-n"},
	{"after", "-A", "post", "after_context"},
	{"before", "-B", "pre", "before_context"},
	{"context", "-C"},
	{"head_limit", "limit", "max_results", "num_results", "maxResults"},
	{"depth", "max_depth", "maxDepth"},
	{"input", "patch", "patch_text", "patchText"},
	{"url", "uri"},
	{"id", "session_id", "shell_id", "bash_id", "process_id"},
}

// durations are the names of time limits, with how many milliseconds one of their unit has; 0:
// the name does not say it.
var durations = lazy.Value[map[string]float64]{New: func() map[string]float64 {
	return map[string]float64{
		"timeout": 0, "timeout_ms": 1, "timeoutMs": 1, "timeout_seconds": 1000, "timeout_secs": 1000, "timeout_s": 1000, "timeout_sec": 1000,
	}
}}

// explanations are members in which models say why they make a call, asked for or not.
var explanations = []string{"description", "explanation", "reason", "purpose", "justification"}

// rename gives members that a closed schema does not have the names that it has for them, and removes
// explanations. A member that is there under its own name is not replaced. It reports whether
// it changed anything.
func rename(s *jsonschema.Schema, members map[string]jsontext.Value) (changed bool) {
	if s.AdditionalProperties == nil || s.AdditionalProperties.Not == nil {
		return false
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if _, known := s.Properties[name]; known {
			continue
		}
		value := members[name]
		switch own := propertyFor(s, name); {
		case own != "" && absent(members, own):
			if _, isDuration := durations.Get()[name]; isDuration {
				value = inUnit(s.Properties[own], own, name, value)
			}
			members[own] = value
		case value.Kind() == 'n', own != "" && string(members[own]) == string(value):
		case slices.Contains(explanations, name):
		default:
			continue
		}
		delete(members, name)
		changed = true
	}
	return changed
}

// absent reports whether members has no value of that name.
func absent(members map[string]jsontext.Value, name string) bool {
	value, ok := members[name]
	return !ok || value.Kind() == 'n'
}

// propertyFor returns the one property that has the alias name; "" if none has, or several have.
func propertyFor(s *jsonschema.Schema, name string) string {
	groups := aliases
	if _, ok := durations.Get()[name]; ok {
		groups = [][]string{slices.Collect(maps.Keys(durations.Get()))}
	}
	found := ""
	for _, group := range groups {
		if !slices.Contains(group, name) {
			continue
		}
		for _, alias := range group {
			if _, ok := s.Properties[alias]; ok && alias != found {
				if found != "" {
					return ""
				}
				found = alias
			}
		}
	}
	return found
}

// mostSeconds is the greatest number without a unit that is taken for seconds.
const mostSeconds = 600

// inUnit converts a duration from the unit of its name to that of the property own.
func inUnit(property *jsonschema.Schema, own, name string, value jsontext.Value) jsontext.Value {
	n, err := strconv.ParseFloat(scalar(value), 64)
	if err != nil {
		return value
	}
	from, to := durations.Get()[name], durations.Get()[own]
	if from == 0 {
		from = 1
		if n <= mostSeconds {
			from = 1000
		}
	}
	if to == 0 { // the limit says it
		to = 1
		if property.Maximum != nil && *property.Maximum <= mostSeconds {
			to = 1000
		}
	}
	n *= from / to
	if property.Type == "integer" {
		n = max(1, float64(int64(n)))
	}
	return jsontext.Value(strconv.FormatFloat(n, 'f', -1, 64))
}

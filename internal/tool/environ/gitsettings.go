package environ

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A GitSetting is a setting of git that a variable of the environment gives it. It wins over the settings in files.
type GitSetting struct{ Key, Value string }

// The names of the variables from which git reads settings: the number of settings, then a key and a value for each.
const (
	gitCount = "GIT_CONFIG_COUNT"
	gitKey   = "GIT_CONFIG_KEY_"
	gitValue = "GIT_CONFIG_VALUE_"
)

// WithGitSettings adds settings of git to environ, after those that it has.
func WithGitSettings(environ []string, settings ...GitSetting) []string {
	if len(settings) == 0 {
		return environ
	}
	have, rest := splitGitSettings(environ)
	return append(rest, entries(append(have, settings...))...)
}

// ReplaceGitSettings returns environ with the settings of git that other has.
func ReplaceGitSettings(environ, other []string) []string {
	have, _ := splitGitSettings(other)
	_, rest := splitGitSettings(environ)
	return append(rest, entries(have)...)
}

func entries(settings []GitSetting) (environ []string) {
	for i, s := range settings {
		environ = append(environ, fmt.Sprintf("%s%d=%s", gitKey, i, s.Key), fmt.Sprintf("%s%d=%s", gitValue, i, s.Value))
	}
	if len(settings) > 0 {
		environ = append(environ, gitCount+"="+strconv.Itoa(len(settings)))
	}
	return environ
}

// splitGitSettings returns the settings of git in environ, and the variables that are none. Those that git does not
// read, because their number is too high or is not a number, are left out.
func splitGitSettings(environ []string) (settings []GitSetting, rest []string) {
	values := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if name == gitCount || strings.HasPrefix(name, gitKey) || strings.HasPrefix(name, gitValue) {
			values[name] = value
			continue
		}
		rest = append(rest, entry)
	}
	count, err := strconv.Atoi(values[gitCount])
	if err != nil {
		return nil, rest
	}
	for i := range min(count, len(values)) {
		key, hasKey := values[gitKey+strconv.Itoa(i)]
		value, hasValue := values[gitValue+strconv.Itoa(i)]
		if hasKey && hasValue {
			settings = append(settings, GitSetting{key, value})
		}
	}
	return settings, rest
}

// withoutSecretSettings returns environ without the settings of git that are or may be secrets, such as the headers of
// requests, and numbers the others again.
func withoutSecretSettings(environ, secrets []string) []string {
	settings, rest := splitGitSettings(environ)
	if len(rest) == len(environ) {
		return environ
	}
	settings = slices.DeleteFunc(settings, func(s GitSetting) bool {
		key := strings.ToLower(s.Key)
		name := key[strings.LastIndexByte(key, '.')+1:]
		return name == "extraheader" || IsSecretName(name) || hasPassword(s.Key) || hasPassword(s.Value) || holdsSecret(s.Value, secrets)
	})
	return append(rest, entries(settings)...)
}

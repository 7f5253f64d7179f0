package tool

import (
	"slices"
	"strings"
	"unicode"
)

// secretNames are the parts, in upper case, that make a variable's name one of a secret.
// Those of several words must follow each other.
var secretNames = [][]string{
	{"TOKEN"},
	{"SECRET"},
	{"SECRETS"},
	{"PASSWORD"},
	{"PASSWORDS"},
	{"PASSWD"},
	{"PASSPHRASE"},
	{"CREDENTIAL"},
	{"CREDENTIALS"},
	{"COOKIE"},
	{"JWT"},
	{"APIKEY"},
	{"API", "KEY"},
	{"API", "KEYS"},
	{"ACCESS", "KEY"},
	{"PRIVATE", "KEY"},
	{"ENCRYPTION", "KEY"},
	{"SIGNING", "KEY"},
	{"MASTER", "KEY"},
	{"AUTHTOKEN"},
	{"ACCESSTOKEN"},
	{"AUTH", "CONFIG"},
	{"PGPASSWORD"},
	{"MYSQL", "PWD"},
	{"REDISCLI", "AUTH"},
	{"CONFIG", "AUTH"}, // of single programs
}

// secretPrefixes begin the names of variables that are all the model providers' own.
var secretPrefixes = []string{"ANTHROPIC_", "OPENAI_", "SCAI"}

// shortSecret is the length in bytes below which a secret only counts as a whole value:
// "test" may stand in any path.
const shortSecret = 8

// settings are what children get besides; but for the first, only when unset.
var settings = []string{
	"PARLEY=1",
	"TERM=dumb",
	"NO_COLOR=1",
	"GIT_TERMINAL_PROMPT=0",
	"PAGER=cat",
	"GIT_PAGER=cat",
	"DEBIAN_FRONTEND=noninteractive",
}

// Environ is the environment for children: base ("NAME=value") without what is or may be
// a secret, by its name or because one of extraSecrets is in its value, and with what
// keeps programs from waiting for a person or drawing for one.
func Environ(base []string, extraSecrets ...string) []string {
	var environ []string
	set := map[string]bool{}
	for _, entry := range base {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" || name == "PARLEY" || isSecretName(name) || holdsSecret(value, extraSecrets) {
			continue
		}
		environ = append(environ, entry)
		set[name] = true
	}
	for _, entry := range settings {
		if name, _, _ := strings.Cut(entry, "="); !set[name] {
			environ = append(environ, entry)
		}
	}
	return environ
}

func isSecretName(name string) bool {
	name = strings.ToUpper(name)
	if slices.ContainsFunc(secretPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
		return true
	}
	parts := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(secretNames, func(secret []string) bool {
		for i := 0; i+len(secret) <= len(parts); i++ {
			if slices.Equal(parts[i:i+len(secret)], secret) {
				return true
			}
		}
		return false
	})
}

func holdsSecret(value string, secrets []string) bool {
	return slices.ContainsFunc(secrets, func(secret string) bool {
		if len(secret) < shortSecret {
			return secret != "" && value == secret
		}
		return strings.Contains(value, secret)
	})
}

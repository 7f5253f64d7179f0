package environ

import (
	"slices"
	"strings"
	"unicode"

	"parley.dev/parley/internal/lazy"
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
	{"CREDS"},
	{"COOKIE"},
	{"JWT"},
	{"APIKEY"},
	{"KEY"},
	{"KEYS"},
	{"PASS"},
	{"PAT"},
	{"AUTH"},
	{"BEARER"},
	{"AUTHORIZATION"},
	{"DSN"},
	{"WEBHOOK"},
	{"SK"},
	{"AWS", "SESSION"},
	{"AUTHTOKEN"},
	{"ACCESSTOKEN"},
	{"PGPASSWORD"},
	{"HEADERS"},
	{"MNEMONIC"},
	{"SEED", "PHRASE"},
	{"PRIVATE", "PEM"},
	{"OTP"},
	{"TOTP"},
	{"CONNECTION", "STRING"},
	{"CONNECTIONSTRING"},
	{"JAAS"},
}

// plainNames are variables that hold no secret although their names say so.
var plainNames = []string{"SSH_AUTH_SOCK"}

// passwordURL finds an address with a password, such as postgres://user:password@host.
var passwordURL = lazy.Regexp{Expr: `[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#@:]*:[^\s/?#@]+@`}

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

// ForChildren returns the environment for children: base ("NAME=value") without what is or may be
// a secret, by its name, or because an address with a password or one of extraSecrets is in
// its value, and with what
// keeps programs from waiting for a user or drawing for one.
func ForChildren(base []string, extraSecrets ...string) []string {
	base = withoutSecretSettings(base, extraSecrets)
	var environ []string
	set := map[string]bool{}
	for _, entry := range base {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" || name == "PARLEY" || IsSecret(name, value) || holdsSecret(value, extraSecrets) {
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

// IsSecret reports whether a variable is a secret by its name, or has an address with a
// password for its value.
func IsSecret(name, value string) bool {
	return IsSecretName(name) || hasPassword(value)
}

// hasPassword reports whether there is an address with a password in a text. Few texts have an address with a user: for the others
// no expression is compiled.
func hasPassword(text string) bool {
	return strings.Contains(text, "://") && strings.Contains(text, "@") && passwordURL.Get().MatchString(text)
}

// Pass adds the variables of base with these names, which Environ takes for secrets, to
// environ. One with one of secrets in its value stays out.
func Pass(environ, base, names []string, secrets ...string) []string {
	for _, entry := range base {
		name, value, _ := strings.Cut(entry, "=")
		if slices.Contains(names, name) && IsSecret(name, value) && !holdsSecret(value, secrets) {
			environ = append(environ, entry)
		}
	}
	return environ
}

// IsSecretName reports whether a variable of that name holds a secret, as far as names say.
func IsSecretName(name string) bool {
	written := name
	name = strings.ToUpper(name)
	if slices.Contains(plainNames, name) || strings.HasPrefix(name, gitKey) { // the key of a setting, such as core.editor
		return false
	}
	if slices.ContainsFunc(secretPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
		return true
	}
	parts := nameParts(name)
	if divided := divideCamel(written); divided != written && hasSecretParts(nameParts(strings.ToUpper(divided))) {
		return true
	}
	if len(parts) > 1 && slices.Contains(parts[1:], "PWD") { // PWD itself is the folder
		return true
	}
	return hasSecretParts(parts)
}

func nameParts(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// divideCamel divides the words of a name such as accessKeySecret.
func divideCamel(name string) string {
	var divided strings.Builder
	lower := false
	for _, r := range name {
		if lower && unicode.IsUpper(r) {
			divided.WriteByte('_')
		}
		divided.WriteRune(r)
		lower = unicode.IsLower(r)
	}
	return divided.String()
}

// hasSecretParts reports whether the parts of a name have one of secretNames.
func hasSecretParts(parts []string) bool {
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

// KeepSecrets adds what base has although it looks like a secret: the user wants it passed.
func KeepSecrets(environ, base []string) []string {
	for _, entry := range base {
		if name, value, _ := strings.Cut(entry, "="); IsSecret(name, value) {
			environ = append(environ, entry)
		}
	}
	return environ
}

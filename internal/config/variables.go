package config

import (
	"fmt"

	"parley.dev/parley/internal/lazy"
)

// reference matches ${NAME} and ${NAME:-default}.
var reference = lazy.Regexp{Expr: `\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`}

// ExpandVariables returns value with the variables that it names as ${NAME}, or as
// ${NAME:-default} with what to use for one that is not set. A variable without a value and a default is an
// error.
func ExpandVariables(value string, getenv func(string) string) (string, error) {
	var missing []string
	expanded := reference.Get().ReplaceAllStringFunc(value, func(found string) string {
		parts := reference.Get().FindStringSubmatch(found)
		name, hasDefault, instead := parts[1], parts[2] != "", parts[3]
		if set := getenv(name); set != "" {
			return set
		}
		if !hasDefault {
			missing = append(missing, name)
		}
		return instead
	})
	if len(missing) > 0 {
		return "", fmt.Errorf("the variable %s is not set", missing[0])
	}
	return expanded, nil
}

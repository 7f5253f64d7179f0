package hook

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"parley.dev/parley/internal/lazy"
)

// plainGlob is what a glob may be made of. Anything else is a regular expression.
var plainGlob = lazy.Regexp{Expr: `^[\pL\pN_:./*?-]+$`}

// matcher returns the tools that a text matches: globs with "|" between them, or a regular
// expression between slashes. Both have to match a whole name. Other text is a regular expression
// in the form of Claude Code, which matches anywhere in a name.
func matcher(text string) (func(name string) bool, error) {
	if text == "" {
		return func(string) bool { return true }, nil
	}
	if inner, ok := strings.CutPrefix(text, "/"); ok {
		if inner, ok = strings.CutSuffix(inner, "/"); !ok || inner == "" {
			return nil, errors.New("match: a regular expression stands between two slashes")
		}
		expression, err := regexp.Compile(`^(?:` + inner + `)$`)
		if err != nil {
			return nil, fmt.Errorf("match: %w", err)
		}
		return expression.MatchString, nil
	}
	globs := strings.Split(text, "|")
	for _, g := range globs {
		if strings.TrimSpace(g) != g || g == "" {
			return nil, fmt.Errorf("match: %q has an alternative that is empty or has blanks around it", text)
		}
		if !plainGlob.Get().MatchString(g) || strings.Contains(g, ".*") {
			expression, err := regexp.Compile(text)
			if err != nil {
				return nil, fmt.Errorf("match: %q is neither a glob nor a regular expression: %w", text, err)
			}
			return expression.MatchString, nil
		}
	}
	return func(name string) bool {
		for _, g := range globs {
			if ok, _ := path.Match(g, name); ok {
				return true
			}
		}
		return false
	}, nil
}

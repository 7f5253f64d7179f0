package shell

import (
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/lazy"
)

// Of what bash passes on to programs, its names for functions, and what its variables cannot
// be called.
const (
	functionPrefix = "BASH_FUNC_"
	functionSuffix = "%%"
)

var variableName = lazy.Regexp{Expr: `^[A-Za-z_][A-Za-z0-9_]*$`}

// exported returns the environment of the programs that bash would start, by what its "export -p"
// and "export -fp" say. What bash cannot change it passes on as it got it from began.
// A command can write there what it likes: what is not understood stays as it was.
func exported(variables, functions string, began []string) []string {
	environ, err := exportedVariables(variables)
	if err != nil {
		return slices.Clone(began)
	}
	passed, err := exportedFunctions(functions)
	for _, entry := range began {
		name, _, _ := strings.Cut(entry, "=")
		function := strings.HasPrefix(name, functionPrefix) && strings.HasSuffix(name, functionSuffix)
		if function && err != nil || !function && !variableName.Get().MatchString(name) {
			passed = append(passed, entry)
		}
	}
	return append(environ, passed...)
}

// exportedVariables reads lines like declare -x NAME="value".
func exportedVariables(said string) (environ []string, err error) {
	file, err := approval.ParseShell(said)
	if err != nil {
		return nil, err
	}
	quoting := new(expand.Config) // its own: what stands for nil, calls that run at the same time would share
	for _, s := range file.Stmts {
		line, ok := s.Cmd.(*syntax.DeclClause)
		if !ok {
			return nil, errNotPlain
		}
		flags := ""
		for _, a := range line.Args {
			switch {
			case a.Name == nil && a.Value != nil:
				flags += a.Value.Lit()
			case a.Value != nil && !strings.ContainsAny(flags, "aAf"): // arrays are not passed on, nor what has no value
				if !plainWord(a.Value.Parts) {
					return nil, errNotPlain
				}
				value, err := expand.Literal(quoting, a.Value)
				if err != nil {
					return nil, err
				}
				environ = append(environ, a.Name.Value+"="+value)
			}
		}
	}
	return environ, nil
}

var errNotPlain = errors.New("bash exports values, and nothing that has to be worked out")

// plainWord reports whether a word is text, however it is quoted.
func plainWord(parts []syntax.WordPart) bool {
	return !slices.ContainsFunc(parts, func(part syntax.WordPart) bool {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
			return false
		case *syntax.DblQuoted:
			return !plainWord(part.Parts)
		}
		return true
	})
}

// exportedFunctions reads definitions, as bash prints them.
func exportedFunctions(said string) (environ []string, err error) {
	if strings.TrimSpace(said) == "" {
		return nil, nil
	}
	file, err := approval.ParseShell(said)
	if err != nil {
		return nil, err
	}
	for _, s := range file.Stmts {
		if f, ok := s.Cmd.(*syntax.FuncDecl); ok {
			body := said[f.Body.Pos().Offset():f.Body.End().Offset()]
			if !strings.HasPrefix(body, "{") {
				return nil, errNotPlain
			}
			environ = append(environ, functionPrefix+f.Name.Value+functionSuffix+"=() "+body)
		}
	}
	slices.Sort(environ)
	return environ, nil
}

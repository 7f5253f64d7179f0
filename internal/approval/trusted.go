package approval

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Trusted reports whether a shell line only reads, whatever files it meets: plain words and quoted
// strings, joined by "&&", "||", ";", "|" or line ends, and each command in trustedPrograms, with
// arguments that cannot make it write or run anything. In doubt a line is not trusted, so many
// harmless ones are not.
//
// It judges the text; TrustedBy also checks which programs the names stand for. The caller has
// to make an environment in which no settings change what programs do (exported functions,
// RIPGREP_CONFIG_PATH). A trusted command may wait for ever (tail -f, a pipe), and may read
// everything that this process may read.
func Trusted(command string) bool { return trusted(command, true) }

// TrustedBy reports whether a shell line is Trusted and system returns true for each program name
// in it: the shell runs its own program of that name or the system's.
func TrustedBy(command string, system func(name string) bool) bool {
	return Trusted(command) && !slices.ContainsFunc(programNames(command), func(name string) bool { return !system(name) })
}

// programNames returns the programs that a Trusted line names without a folder, including those
// of a shell that it starts.
func programNames(line string) (names []string) {
	file, err := ParseShell(line)
	if err != nil {
		return nil // it is not Trusted
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		call, ok := node.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		first, _ := plainWord(call.Args[0])
		if !strings.Contains(first.text, "/") {
			names = append(names, first.text)
		}
		if slices.Contains(shells, programName(first.text)) && len(call.Args) == 3 {
			inner, _ := plainWord(call.Args[2])
			names = append(names, programNames(inner.text)...)
		}
		return true
	})
	return names
}

// trusted is Trusted; a shell that runs a line of its own is accepted only if through is set.
func trusted(line string, through bool) bool {
	if !plainText(line) {
		return false
	}
	file, err := ParseShell(line)
	if err != nil || len(file.Last) > 0 || len(file.Stmts) == 0 {
		return false
	}
	return !slices.ContainsFunc(file.Stmts, func(s *syntax.Stmt) bool { return !trustedStmt(s, through) })
}

// plainText reports whether all shells read the characters of line in the same way. Carriage
// returns are blanks for some shells. In some old character sets a backslash can be the second
// byte of a letter, and a quote that we see as escaped is then not.
func plainText(line string) bool {
	ascii := true
	for _, r := range line {
		switch {
		case r < ' ' && r != '\n' && r != '\t', r == 0x7f:
			return false
		case r >= utf8.RuneSelf:
			ascii = false
		}
	}
	return utf8.ValidString(line) && (ascii || !strings.Contains(line, `\`))
}

func trustedStmt(s *syntax.Stmt, through bool) bool {
	if s.Negated || s.Background || s.Coprocess || s.Disown || len(s.Redirs) > 0 || len(s.Comments) > 0 {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		return (c.Op == syntax.AndStmt || c.Op == syntax.OrStmt || c.Op == syntax.Pipe) &&
			trustedStmt(c.X, through) && trustedStmt(c.Y, through)
	case *syntax.CallExpr:
		return len(c.Assigns) == 0 && trustedCall(c.Args, through)
	}
	return false
}

// An argument is a word of a command as the program receives it.
type argument struct {
	text string
	glob bool // a pattern: the program receives the files that match, or text
}

func trustedCall(call []*syntax.Word, through bool) bool {
	args := make([]argument, len(call))
	for i, word := range call {
		arg, ok := plainWord(word)
		if !ok {
			return false
		}
		args[i] = arg
	}
	name, args := programName(args[0].text), args[1:]
	if slices.Contains(shells, name) {
		// A login shell (-l) also runs the user's profile, as each terminal does.
		return through && len(args) == 2 && !args[0].glob && !args[1].glob &&
			(args[0].text == "-c" || args[0].text == "-lc") && trusted(args[1].text, false)
	}
	rule, ok := trustedPrograms.Get()[name]
	if !ok {
		return false
	}
	if rule == nil {
		return true
	}
	texts := make([]string, len(args))
	for i, arg := range args {
		if arg.glob {
			return false // a file may have the name of an option
		}
		texts[i] = arg.text
	}
	return rule(texts)
}

// programName returns the name of a program of the system, without its folder; "" for any other.
// Only folders that belong to the system on every machine count: the user can often write
// /usr/local/bin.
func programName(word string) string {
	name := word
	for _, dir := range []string{"/bin/", "/usr/bin/"} {
		if rest, found := strings.CutPrefix(word, dir); found {
			name = rest
		}
	}
	if strings.Contains(name, "/") {
		return ""
	}
	return name
}

// plainWord returns the argument of a word in which nothing is expanded except a pattern of file
// names; false for any other word.
func plainWord(w *syntax.Word) (argument, bool) {
	var b strings.Builder
	var glob bool
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if whole := len(w.Parts) == 1 && p.Value == "!"; !whole {
				if !plainLiteral(p.Value, i == 0) {
					return argument{}, false
				}
				glob = glob || globs(p.Value)
			}
			b.WriteString(unescape(p.Value))
		case *syntax.SglQuoted:
			if p.Dollar {
				return argument{}, false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			inner, ok := plainQuoted(p)
			if !ok {
				return argument{}, false
			}
			b.WriteString(inner)
		default:
			return argument{}, false
		}
	}
	return argument{b.String(), glob}, true
}

// plainQuoted returns the text of a double-quoted string in which nothing can be expanded. A
// dollar sign that is not escaped may only be its last character, as in a regular expression.
func plainQuoted(q *syntax.DblQuoted) (string, bool) {
	inner, ok := literalQuoted(q)
	if !ok || q.Dollar {
		return "", false
	}
	for _, part := range q.Parts {
		text := part.(*syntax.Lit).Value // as literalQuoted found
		for i := 0; i < len(text); i++ {
			switch {
			case text[i] == '\\':
				i++
			case text[i] == '`', text[i] == '$' && (i+1 < len(text) || part != q.Parts[len(q.Parts)-1]):
				return "", false
			}
		}
	}
	return inner, true
}

// plainLiteral reports whether every shell reads unquoted text as it is, or as a pattern of file
// names: no braces, tildes, comments, nor anything that some shells expand (=name, ^). Letters
// that are not ASCII have to be quoted: some shells read bytes of them as blanks.
func plainLiteral(text string, start bool) bool {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text):
			i++
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case strings.IndexByte("_-./,:+@%*?[]", c) >= 0:
		case c == '=' && (i > 0 || !start):
		default:
			return false
		}
	}
	return true
}

// globs reports whether unquoted text is a pattern of file names.
func globs(text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return true
		}
	}
	return false
}

package approval

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Trusted says whether a shell line only looks, whatever the files are that it meets:
// plain words and quoted strings, joined by "&&", "||", ";", "|" or line ends, and each
// command on the list below with arguments that cannot make it write or run anything. What
// nobody is sure about is not trusted, so much that is harmless is not.
//
// It judges the text. That the names lead to the usual programs, and that no settings in
// the environment change what they do (PATH, exported functions, RIPGREP_CONFIG_PATH), is
// up to whoever makes the environment. A trusted command may wait for ever (tail -f, a
// pipe), and may read whatever this process may read.
func Trusted(command string) bool { return trusted(command, true) }

// trusted looks through a shell that runs a line of its own only if through is set.
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

// plainText says whether all shells read the characters of line the same way. Carriage
// returns are blanks to some. In some old character sets the last byte of a letter takes a
// backslash behind it for its own, and then ends no quote where we see one.
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

// An argument is a word of a command as the program gets it.
type argument struct {
	text string
	glob bool // a pattern: the program gets the files that match, or text
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
	rule, ok := trustedPrograms[name]
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

// programName is the name of a program of the system, without its folder; "" for any other.
// Only the folders that belong to the system on every machine count: /usr/local/bin is
// often the user's.
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

// plainWord reads a word in which nothing is expanded but a pattern of file names.
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

// plainQuoted reads a string in double quotes in which nothing could be expanded. A dollar
// sign that is not escaped may only stand at its end, as in a regular expression.
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

// plainLiteral says whether unquoted text means itself, or a pattern of file names, in
// every shell: no braces, tildes, comments, nor what some shells expand (=name, ^). Letters
// that are not ASCII have to be quoted: bytes of theirs are blanks to some shells.
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

// globs says whether unquoted text is a pattern of file names.
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

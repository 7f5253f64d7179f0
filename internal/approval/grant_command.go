package approval

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"parley.dev/parley/internal/lazy"
)

// A commandPattern is the parsed pattern of a TargetCommand.
type commandPattern struct {
	any   bool     // "*": every line
	words []string // before the star; empty: the pattern covers the identical line only
	open  bool     // a star follows the words
	all   bool     // the star is "**": any further words, whatever the program does with them
}

// readPattern parses a pattern as a shell parses a line. A pattern of more than one command, or
// of other than plain words, has no words.
func readPattern(text string) commandPattern {
	if text == "*" {
		return commandPattern{any: true}
	}
	if !plainText(text) {
		return commandPattern{}
	}
	file, err := ParseShell(text)
	if err != nil || len(file.Stmts) != 1 || len(file.Last) > 0 {
		return commandPattern{}
	}
	call, ok := plainCall(file.Stmts[0])
	if !ok || len(file.Stmts[0].Redirs) > 0 {
		return commandPattern{}
	}
	var p commandPattern
	for i, word := range call.Args {
		if i > 0 && i == len(call.Args)-1 && (isLiteral(word, "*") || isLiteral(word, "**")) {
			p.open, p.all = true, isLiteral(word, "**")
			break
		}
		arg, ok := grantWord(word)
		if !ok || arg.glob {
			return commandPattern{}
		}
		p.words = append(p.words, arg.text)
	}
	return p
}

func isLiteral(w *syntax.Word, value string) bool {
	lit, ok := w.Parts[0].(*syntax.Lit)
	return ok && len(w.Parts) == 1 && lit.Value == value
}

func checkCommand(pattern string) error {
	if strings.TrimSpace(pattern) == "" || len(pattern) > maxLine {
		return errors.New("a grant for a command has words, and not too many of them")
	}
	p := readPattern(pattern)
	if !p.open {
		if words := strings.Fields(pattern); len(words) > 1 && (words[len(words)-1] == "*" || words[len(words)-1] == "**") {
			return fmt.Errorf("a star follows the plain words of one command, and %q cannot be read so", pattern)
		}
		return nil
	}
	if p.all {
		return nil
	}
	if why := wildcardRulesOf(p.words).refuses(p.words); why != "" {
		return fmt.Errorf(`a grant for %q would be for far more than it says: %s; name more of the command, or end it with "**" if everything that it can do is meant`, pattern, why)
	}
	return nil
}

// Star returns a sentence for the user that says what the star of a command pattern covers; "" if
// t has none.
func (t Target) Star() string {
	p := readPattern(t.Pattern)
	switch {
	case t.Kind != TargetCommand:
		return ""
	case p.any:
		return "The star stands for every command line."
	case p.all:
		return "The stars stand for any words: also for those that make the program run others or write anywhere."
	case !p.open:
		return ""
	case wildcardRulesOf(p.words).known:
		return `The star stands for operands and for options that are known to be safe; "**" stands for any words.`
	}
	return `The star stands for operands, not for options: none of this program are known to be safe; "**" stands for any words.`
}

// covers reports whether the pattern covers a command. One star covers words with which the
// program is known to do what its name says: operands, and options on the lists of
// grant_programs.go. Two stars cover any words.
func (p commandPattern) covers(args []argument) bool {
	n := len(p.words)
	if n == 0 || len(args) < n || !p.open && len(args) > n {
		return false
	}
	texts := make([]string, len(args))
	for i, arg := range args {
		texts[i] = arg.text
		switch {
		case i >= n:
		case arg.glob, arg.text != p.words[i] && (i > 0 || programName(arg.text) != p.words[i]):
			return false
		}
	}
	if !p.open || p.all {
		return true
	}
	m := wildcardRulesOf(p.words)
	for _, arg := range args[n:] {
		if arg.glob && !m.harmlessGlob(arg.text) {
			return false
		}
	}
	return m.refuses(p.words) == "" && m.allows(texts, n)
}

// plainCommands returns the commands of a line that has only plain commands, joined by "&&",
// "||", ";", "|" or line ends. It returns false if there is more in the line, or if shells read
// it in different ways.
func plainCommands(line string) ([][]argument, bool) {
	if !plainText(line) {
		return nil, false
	}
	file, err := ParseShell(line)
	if err != nil || len(file.Last) > 0 || len(file.Stmts) == 0 {
		return nil, false
	}
	var all [][]argument
	for _, s := range file.Stmts {
		var ok bool
		if all, ok = appendCommands(all, s); !ok {
			return nil, false
		}
	}
	return all, true
}

func appendCommands(all [][]argument, s *syntax.Stmt) ([][]argument, bool) {
	if b, ok := s.Cmd.(*syntax.BinaryCmd); ok {
		if !plainStmt(s) || len(s.Redirs) > 0 || b.Op != syntax.AndStmt && b.Op != syntax.OrStmt && b.Op != syntax.Pipe {
			return nil, false
		}
		if all, ok = appendCommands(all, b.X); !ok {
			return nil, false
		}
		return appendCommands(all, b.Y)
	}
	call, ok := plainCall(s)
	if !ok {
		return nil, false
	}
	args := make([]argument, len(call.Args))
	for i, word := range call.Args {
		if args[i], ok = grantWord(word); !ok {
			return nil, false
		}
	}
	return append(all, args), true
}

func plainStmt(s *syntax.Stmt) bool {
	return !s.Negated && !s.Background && !s.Coprocess && !s.Disown && len(s.Comments) == 0
}

// plainCall returns the simple command of s, if it sets no variables and redirects only to
// /dev/null or between stdout and stderr.
func plainCall(s *syntax.Stmt) (*syntax.CallExpr, bool) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || !plainStmt(s) || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return nil, false
	}
	for _, r := range s.Redirs {
		if !harmlessRedirect(r) {
			return nil, false
		}
	}
	return call, true
}

func harmlessRedirect(r *syntax.Redirect) bool {
	if r.N != nil && !digits.Get().MatchString(r.N.Value) || r.Word == nil {
		return false
	}
	to := r.Word.Lit()
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrIn:
		return to == "/dev/null"
	case syntax.DplOut:
		return to == "1" || to == "2"
	}
	return false
}

// revision matches names of commits such as HEAD~1 and HEAD^. Most shells do not expand them;
// some may read them as a pattern of file names that begins with the same letter.
var revision = lazy.Regexp{Expr: `^[A-Za-z0-9@][A-Za-z0-9@._/-]*[~^][A-Za-z0-9@._/:~^-]*$`}

func grantWord(w *syntax.Word) (argument, bool) {
	if text := w.Lit(); revision.Get().MatchString(text) {
		return argument{text: text}, true
	}
	return plainWord(w)
}

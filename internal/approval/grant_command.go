package approval

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// A commandPattern is the pattern of a TargetCommand, read.
type commandPattern struct {
	any   bool     // "*": every line
	words []string // what is named; empty: the pattern stands for the very same line only
	open  bool     // a star behind the words
}

// readPattern reads a pattern as a shell reads a line. What is more than one command, or
// more than plain words, has no words.
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
		if p.open = i > 0 && i == len(call.Args)-1 && isStar(word); p.open {
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

func isStar(w *syntax.Word) bool {
	lit, ok := w.Parts[0].(*syntax.Lit)
	return ok && len(w.Parts) == 1 && lit.Value == "*"
}

func checkCommand(pattern string) error {
	if strings.TrimSpace(pattern) == "" || len(pattern) > maxLine {
		return errors.New("a grant for a command has words, and not too many of them")
	}
	p := readPattern(pattern)
	if !p.open {
		if !p.any && strings.HasSuffix(strings.TrimSpace(pattern), " *") {
			return fmt.Errorf("a star stands behind the plain words of one command, and %q cannot be read so", pattern)
		}
		return nil
	}
	if why := mannersOf(p.words).refuses(p.words); why != "" {
		return fmt.Errorf(`a grant for %q would be for far more than it says: %s; name more of the command, or grant "*" if every command is meant`, pattern, why)
	}
	return nil
}

// covers says whether a command is what the pattern names. The star stands for words with
// which the program does what its name says: not for those that make it run others.
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
	if !p.open {
		return true
	}
	m := mannersOf(p.words)
	for _, arg := range args[n:] {
		if arg.glob && !m.harmlessGlob(arg.text) {
			return false
		}
	}
	return m.refuses(p.words) == "" && m.allows(texts, n)
}

// plainCommands is the commands of a line that is made of them and of what joins them: "&&",
// "||", ";", "|" and line ends. False: there is more in it, or somebody could read it
// in another way.
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

// plainCall is a simple command that sets no variables and sends what it says nowhere but
// away, or to where it says things anyway.
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
	if r.N != nil && !digits().MatchString(r.N.Value) || r.Word == nil {
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

// revision: names of commits such as HEAD~1 and HEAD^ mean themselves to most shells. Some
// may take them for a pattern of file names that begins with the same letter.
var revision = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9@][A-Za-z0-9@._/-]*[~^][A-Za-z0-9@._/:~^-]*$`)
})

func grantWord(w *syntax.Word) (argument, bool) {
	if text := w.Lit(); revision().MatchString(text) {
		return argument{text: text}, true
	}
	return plainWord(w)
}

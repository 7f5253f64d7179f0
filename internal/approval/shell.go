package approval

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"parley.dev/parley/internal/lazy"
)

var (
	errHidden  = errors.New("the line has parts that are only known when it runs")
	errNotBash = errors.New("the line is not for bash, and other shells are not understood here")
	errUnclear = errors.New("the line is too long or too deep to be taken apart, or would be read in different ways")
)

const (
	maxLine   = 128 << 10 // bytes; Linux passes no longer word to a program
	maxNested = 10_000    // opening brackets; the parser needs up to 4 KB of stack for each
)

// opaque is set when lines are not for bash.
var opaque atomic.Bool

// SetOpaque makes ParseShell return an error for every line: commands are run by a shell that reads them otherwise than bash, such as
// PowerShell, for which the sign ’ ends a quotation. Then no command counts as read-only, and grants cover the same line only. All
// sessions of a process have the same shell; it is called before the first.
func SetOpaque(on bool) { opaque.Store(on) }

// ParseShell parses shell text as bash does. It returns an error if the text is not valid, or so
// long or deep that the parser could end the process, and after SetOpaque.
func ParseShell(line string) (*syntax.File, error) {
	if opaque.Load() {
		return nil, errNotBash
	}
	if len(line) > maxLine || strings.Count(line, "(")+strings.Count(line, "{")+strings.Count(line, "[") > maxNested {
		return nil, errUnclear // a parser that runs out of stack ends the process
	}
	if strings.Contains(line, "\\\r") {
		return nil, errUnclear // for the parser the line continues after it, for a shell it ends
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(line), "")
	if err != nil {
		return nil, fmt.Errorf("parse command: %w", err)
	}
	if hasNamelessFunction(file) {
		return nil, errUnclear // the parser takes it from zsh, bash refuses it
	}
	return file, nil
}

func hasNamelessFunction(file *syntax.File) (found bool) {
	syntax.Walk(file, func(node syntax.Node) bool {
		if f, ok := node.(*syntax.FuncDecl); ok && f.Name == nil {
			found = true
		}
		return !found
	})
	return found
}

// simpleCommands returns all commands of a shell line, also those inside substitutions, as
// plain words. With errHidden the list has the commands that could be read.
func simpleCommands(line string) ([]string, error) {
	file, err := ParseShell(line)
	if err != nil {
		return nil, err
	}
	var commands []string
	var hidden error
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				commands = append(commands, words(n.Args))
			}
			if len(n.Assigns) > 0 {
				hidden = errHidden
			}
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ParamExp, *syntax.Redirect, *syntax.FuncDecl, *syntax.ArithmExp:
			hidden = errHidden
		case *syntax.SglQuoted:
			if n.Dollar { // some shells read it differently
				hidden = errHidden
			}
		case *syntax.DblQuoted:
			if n.Dollar { // translated
				hidden = errHidden
			}
		}
		return true
	})
	return commands, hidden
}

func words(args []*syntax.Word) string {
	var b strings.Builder
	printer := syntax.NewPrinter()
	for i, arg := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		if lit, ok := literal(arg); ok {
			b.WriteString(lit)
		} else {
			_ = printer.Print(&b, arg) // a strings.Builder does not fail
		}
	}
	return b.String()
}

// literal returns a word as bash does after quote removal, and whether nothing in it is
// substituted. expand.Literal of the shell library cannot be used: it keeps backslashes outside
// quotes, looks up the home folders of users, and does not know \cX.
func literal(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value))
		case *syntax.SglQuoted:
			if p.Dollar {
				b.WriteString(ansi(p.Value))
			} else {
				b.WriteString(p.Value)
			}
		case *syntax.DblQuoted:
			inner, ok := literalQuoted(p)
			if !ok {
				return "", false
			}
			b.WriteString(inner)
		default:
			return "", false
		}
	}
	return b.String(), true
}

func literalQuoted(q *syntax.DblQuoted) (string, bool) {
	var b strings.Builder
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return "", false
		}
		b.WriteString(unescapeQuoted(lit.Value))
	}
	return b.String(), true
}

// unescape removes the backslashes of unquoted text, where they quote any byte.
func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// unescapeQuoted removes the backslashes of double-quoted text, where they quote only characters
// with a meaning and are literal otherwise.
func unescapeQuoted(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\", text[i+1]) >= 0 {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

var ansiLetters = lazy.Value[map[byte]byte]{New: func() map[byte]byte {
	return map[byte]byte{
		'a': '\a', 'b': '\b', 'e': 0x1b, 'E': 0x1b, 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
		'\\': '\\', '\'': '\'', '"': '"', '?': '?',
	}
}}

// ansi decodes the inside of $'…' as bash does: the escapes of C, \e, \cX, \u and \U.
func ansi(text string) string {
	var b []byte
	for len(text) > 0 {
		if text[0] != '\\' || len(text) == 1 {
			b = append(b, text[0])
			text = text[1:]
			continue
		}
		kind := text[1]
		switch rest := text[2:]; kind {
		case '0', '1', '2', '3', '4', '5', '6', '7':
			var n uint64
			n, text = number(text[1:], 8, 3)
			b = append(b, byte(n))
		case 'x', 'u', 'U':
			size := map[byte]int{'x': 2, 'u': 4, 'U': 8}[kind]
			n, after := number(rest, 16, size)
			switch {
			case len(after) == len(rest): // no digits: not an escape
				b = append(b, '\\', kind)
			case kind == 'x':
				b = append(b, byte(n))
			default:
				b = utf8.AppendRune(b, rune(min(n, utf8.MaxRune+1)))
			}
			text = after
		case 'c':
			if rest == "" {
				b, text = append(b, '\\', 'c'), rest
			} else {
				b, text = append(b, rest[0]&0x1f), rest[1:]
			}
		default:
			if c, ok := ansiLetters.Get()[kind]; ok {
				b = append(b, c)
			} else {
				b = append(b, '\\', kind)
			}
			text = rest
		}
		if n := len(b); n > 0 && b[n-1] == 0 {
			return string(b[:n-1]) // the string ends at a NUL
		}
	}
	return string(b)
}

// number parses at most size digits at the beginning of text, and returns the rest.
func number(text string, base, size int) (uint64, string) {
	n := 0
	for n < len(text) && n < size {
		if _, err := strconv.ParseUint(text[n:n+1], base, 8); err != nil {
			break
		}
		n++
	}
	value, _ := strconv.ParseUint("0"+text[:n], base, 64) // only digits, and at most eight
	return value, text[n:]
}

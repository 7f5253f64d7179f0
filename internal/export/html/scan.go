package html

import (
	"go/scanner"
	"go/token"
)

// scanGo divides Go source into pieces, also source with errors as far as possible. The library's
// lexer for Go is code and not data, so it cannot be embedded.
func scanGo(text string) []piece {
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(text))
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	var pieces []piece
	done := 0
	add := func(class string, to int) {
		if to > done {
			pieces = append(pieces, piece{class, text[done:to]})
			done = to
		}
	}
	for {
		pos, tok, lit := s.Scan()
		from := file.Offset(pos)
		if n := len(pieces); n > 0 && pieces[n-1].class == identifier {
			pieces[n-1].class = ""
			if tok == token.LPAREN && from == done {
				pieces[n-1].class = called
			}
		}
		if tok == token.EOF {
			add("", len(text))
			return pieces
		}
		if class := classOfGo(tok); class != "" {
			add("", from)
			add(class, min(from+len(lit), len(text)))
		}
	}
}

// identifier is the class of a name until its use is known.
const identifier = "?"

func classOfGo(tok token.Token) string {
	switch {
	case tok == token.COMMENT:
		return comment
	case tok.IsKeyword():
		return keyword
	case tok == token.STRING || tok == token.CHAR:
		return literal
	case tok == token.INT || tok == token.FLOAT || tok == token.IMAG:
		return number
	case tok == token.IDENT:
		return identifier
	}
	return ""
}

package highlight

import (
	"go/scanner"
	"go/token"
)

// scanGo divides Go source into pieces, also source with errors as far as possible. The library's
// lexer for Go is code and not data, so it cannot be embedded.
func scanGo(text string) []Piece {
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(text))
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	var pieces []Piece
	done := 0
	add := func(class Class, to int) {
		if to > done {
			pieces = append(pieces, Piece{class, text[done:to]})
			done = to
		}
	}
	for {
		pos, tok, lit := s.Scan()
		from := file.Offset(pos)
		if n := len(pieces); n > 0 && pieces[n-1].Class == identifier {
			pieces[n-1].Class = Plain
			if tok == token.LPAREN && from == done {
				pieces[n-1].Class = Called
			}
		}
		if tok == token.EOF {
			add(Plain, len(text))
			return pieces
		}
		if class := classOfGo(tok); class != Plain {
			add(Plain, from)
			add(class, min(from+len(lit), len(text)))
		}
	}
}

// identifier is the class of a name until its use is known.
const identifier = Named + 1

func classOfGo(tok token.Token) Class {
	switch {
	case tok == token.COMMENT:
		return Comment
	case tok.IsKeyword():
		return Keyword
	case tok == token.STRING || tok == token.CHAR:
		return String
	case tok == token.INT || tok == token.FLOAT || tok == token.IMAG:
		return Number
	case tok == token.IDENT:
		return identifier
	}
	return Plain
}

package pisces

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// partialObject returns the object that a model is still writing, as far as it goes: an open string
// is taken as it is, a name without its value is left out. What is no object is an empty one.
func partialObject(raw []byte) jsontext.Value {
	var out bytes.Buffer
	options := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	dec := jsontext.NewDecoder(bytes.NewReader(raw), options...)
	enc := jsontext.NewEncoder(&out, options...)
	var name *jsontext.Token // of the member whose value comes next
	write := func(t jsontext.Token) {
		if name != nil {
			_ = enc.WriteToken(*name) // a buffer takes everything
			name = nil
		}
		_ = enc.WriteToken(t)
	}
	for {
		if dec.StackDepth() == 0 && (dec.InputOffset() > 0 || dec.PeekKind() != '{') {
			break // it is whole, or no object
		}
		token, err := dec.ReadToken()
		if err != nil {
			break
		}
		token = token.Clone()
		if kind, n := dec.StackIndex(dec.StackDepth()); kind == '{' && n%2 == 1 {
			name = &token
			continue
		}
		write(token)
	}
	if kind, n := dec.StackIndex(dec.StackDepth()); dec.StackDepth() > 0 && (kind == '[' || n%2 == 1) {
		if text, ok := openString(raw[dec.InputOffset():]); ok {
			write(jsontext.String(text))
		}
	}
	for depth := enc.StackDepth(); depth > 0; depth-- {
		end := jsontext.EndObject
		if kind, _ := enc.StackIndex(depth); kind == '[' {
			end = jsontext.EndArray
		}
		_ = enc.WriteToken(end)
	}
	if out.Len() == 0 {
		return jsontext.Value(`{}`)
	}
	return jsontext.Value(bytes.TrimSpace(out.Bytes()))
}

// openString returns the text of a string that has begun and not ended; an escape that is not
// whole is left out.
func openString(rest []byte) (string, bool) {
	rest = bytes.TrimLeft(rest, " \t\r\n,:")
	if len(rest) == 0 || rest[0] != '"' {
		return "", false
	}
	for cut := len(rest); cut > 0 && len(rest)-cut < len(`\uD83D\uDE00`); cut-- {
		quoted := append(bytes.Clone(rest[:cut]), '"')
		if text, err := jsontext.AppendUnquote(nil, quoted); err == nil {
			return string(text), true
		}
	}
	return "", false
}

package wire

import "github.com/go-json-experiment/json/jsontext"

// AppendString appends s to dst as a JSON string and returns the extended slice. It escapes
// only what JSON requires, and writes U+FFFD for each byte that is not UTF-8. It is for frequent
// events; all others are encoded by the JSON library.
func AppendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error reports the replacement just described
	return dst
}

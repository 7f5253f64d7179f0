package loaf

import "bytes"

// unsplit returns a line of JSON without U+2028 and U+2029, at which some readers of lines divide
// too: they can only stand in strings, where an escape means the same. Every line that goes
// out has to go through it, since ids and the values of tools are copied as they came.
func unsplit(line []byte) []byte {
	if !bytes.Contains(line, []byte("\u2028")) && !bytes.Contains(line, []byte("\u2029")) {
		return line
	}
	line = bytes.ReplaceAll(line, []byte("\u2028"), []byte(`\u2028`))
	return bytes.ReplaceAll(line, []byte("\u2029"), []byte(`\u2029`))
}

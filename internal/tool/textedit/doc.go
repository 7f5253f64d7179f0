// Package textedit replaces texts in files as models write them: exactly, or, at one place only, with line numbers, escapes,
// indentation or quotes that differ from those of the file.
package textedit

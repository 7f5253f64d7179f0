// Package rule reads the user's rules for models: texts with a head that says when they apply. It
// finds the rules that an answer breaks while the answer is streamed. The caller decides what
// follows.
package rule

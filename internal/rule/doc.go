// Package rule is a person's rules for models: texts with a head that says when they count.
// It reads them, and finds those that an answer breaks while it is written. What becomes of
// the answer then is not its business.
package rule

package approval

import (
	"fmt"
	"slices"
	"strings"
)

// CommandWords returns the words of the command of r, if a grant can cover what begins with them: the line is one plain command,
// r is for nothing else, and PrefixTarget accepts the words. Otherwise it returns nil.
func CommandWords(r Request) []string {
	if r.Server != "" || r.URL != "" {
		return nil
	}
	commands, ok := plainCommands(r.Command)
	if !ok || len(commands) != 1 {
		return nil
	}
	var words []string
	for _, arg := range commands[0] {
		if arg.glob {
			return nil
		}
		words = append(words, arg.text)
	}
	t, err := PrefixTarget(words)
	if err != nil {
		return nil
	}
	var grants GrantSet
	if _, err := grants.AddGrant(Grant{Target: t, Level: r.Level, Scope: Session}); err != nil || !grants.Covers(r) {
		return nil
	}
	return words
}

// PrefixTarget returns the target for commands that begin with words, to which operands and safe options can be added. Words are
// never read as a pattern. The error, a sentence for the user, is the reason why nothing can be granted for them.
func PrefixTarget(words []string) (Target, error) {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quoteWord(word)
	}
	t := Target{Kind: TargetCommand, Pattern: strings.Join(append(quoted, "*"), " ")}
	if p := readPattern(t.Pattern); len(words) == 0 || !p.open || p.all || !slices.Equal(p.words, words) {
		return Target{}, fmt.Errorf("%q are no words that a grant for commands can begin with", words)
	}
	return t, t.Validate()
}

// quoteWord returns a word as a shell reads it: as it is, if it has no sign that means more than itself, else in quotes.
func quoteWord(word string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:@%+,", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

package approval

import (
	"path"
	"slices"
	"strings"
)

// manners is what the star of a pattern may stand for with a program. The zero value is that
// of a program about which nothing is known.
type manners struct {
	carries string   // why no star is of use: its words are another command
	operand bool     // the first word has to be named: it says what is run
	through bool     // and it is a program of its own
	first   []string // first words that a star may stand for; nil: any
	lead    []string // options that may stand before the first word
	more    []string // first words behind which the next has to be named too, and may be a program
	options []string // long options that may not stand for a star, nor may a beginning of one
	letters string   // short options that may not
	behind  string   // a word behind which a command stands, to be named as any other
	under   map[string]manners
	check   func(words []string, n int) bool // of a whole command; from n on the star stands for it
}

// mannersOf is the manners of the program that words begin with. A program that has the name
// of a known one is taken for it, wherever it lies.
func mannersOf(words []string) manners {
	name := strings.TrimSuffix(strings.ToLower(path.Base(words[0])), ".exe")
	switch {
	case shellChangers[name]:
		return manners{carries: "it changes what later commands mean"}
	case slices.Contains(carriers, name):
		return manners{carries: "it runs whatever command is given to it"}
	case slices.Contains(runners, name):
		return manners{operand: true, through: true}
	case slices.Contains(interpreters, name), versioned().MatchString(name):
		return manners{operand: true, more: []string{"-m", "-c", "-e", "-lc"}}
	}
	if m, ok := programs()[name]; ok {
		return m
	}
	if rule := trustedPrograms[name]; rule != nil {
		return manners{check: func(words []string, _ int) bool { return rule(words[1:]) }}
	}
	return manners{}
}

// refuses is why no star may stand behind these words; "" if one may.
func (m manners) refuses(words []string) string {
	if m.carries != "" {
		return m.carries
	}
	at := m.position(words)
	if at < len(words) && (m.operand || m.first != nil) && option(words[at]) && !slices.Contains(m.more, words[at]) {
		return "what " + words[at] + " changes is not certain"
	}
	inner, there := m.inner(words, at)
	switch {
	case !there && at == len(words) && m.operand:
		return "what it runs is not named"
	case !there:
	case inner == len(words) || option(words[inner]):
		return "what " + words[inner-1] + " runs is not named"
	default:
		if why := mannersOf(words[inner:]).refuses(words[inner:]); why != "" {
			return why
		}
	}
	if !m.allows(words, len(words)) {
		return "what is named makes the program run others"
	}
	return ""
}

// allows says whether words from n on may stand for the star.
func (m manners) allows(words []string, n int) bool {
	at := m.position(words)
	if inner, there := m.inner(words, at); there && inner < n && !mannersOf(words[inner:]).allows(words[inner:], n-inner) {
		return false
	}
	rules := []manners{m, {}}
	if at < len(words) {
		if at >= n && m.first != nil && !slices.Contains(m.first, words[at]) {
			return false
		}
		rules[1] = m.under[words[at]]
	}
	free := words[n:]
	for _, rule := range rules {
		if slices.ContainsFunc(free, rule.forbids) || rule.check != nil && !rule.check(words, n) || !rule.allowsBehind(words, n) {
			return false
		}
	}
	return !slices.ContainsFunc(free, runsOthers)
}

func (m manners) allowsBehind(words []string, n int) bool {
	at := slices.Index(words, m.behind) + 1
	if m.behind == "" || at == 0 {
		return true
	}
	if at >= n || option(words[at]) {
		return false
	}
	inner := mannersOf(words[at:])
	return inner.refuses(words[at:n]) == "" && inner.allows(words[at:], n-at)
}

// position is where the first word stands that is none of the leading options.
func (m manners) position(words []string) int {
	at := 1
	for at < len(words) && slices.Contains(m.lead, words[at]) {
		at++
	}
	return at
}

// inner is where the words begin that may be a command of their own, if there are such.
func (m manners) inner(words []string, at int) (int, bool) {
	switch {
	case at >= len(words):
		return 0, false
	case slices.Contains(m.more, words[at]):
		return at + 1, true
	}
	return at, m.through
}

func (m manners) forbids(word string) bool {
	if !option(word) {
		return false
	}
	if long, found := strings.CutPrefix(word, "--"); found {
		name, _, _ := strings.Cut(long, "=")
		return name != "" && slices.ContainsFunc(m.options, func(o string) bool { return strings.HasPrefix(o, name) })
	}
	name, _, _ := strings.Cut(word[1:], "=")
	return slices.Contains(m.options, name) || strings.ContainsAny(word, m.letters)
}

// runsOthers says whether a word is an option with which many a program runs another.
func runsOthers(word string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	return option(word) && slices.Contains(runningOptions, name)
}

// harmlessGlob says whether the files that a pattern matches are no options, and nothing
// else that means more than a file: their names begin as the pattern does.
func (m manners) harmlessGlob(pattern string) bool {
	lead := pattern[:strings.IndexAny(pattern+"*", "*?[")]
	if m.operand || m.first != nil || m.check != nil || m.under != nil {
		return strings.Contains(lead, "/") && lead[0] != '-'
	}
	return lead != "" && lead[0] != '-' && lead[0] != '+' && lead[0] != '@'
}

func option(word string) bool { return len(word) > 1 && word[0] == '-' }

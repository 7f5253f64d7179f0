package approval

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"parley.dev/parley/internal/lazy"
)

// wildcardRules says which arguments a trailing "*" in a command grant covers for one program. An
// option that is not known to be safe is not covered. The zero value is for an unknown program:
// the star covers operands only.
type wildcardRules struct {
	known  bool                   // the program is on a list: its operands run nothing unless the other fields say so
	free   bool                   // any option is safe, except those in options and letters
	safe   []string               // options that are safe, without dashes
	short  string                 // short options that are safe, also in clusters; "*": all but letters
	safeIf func(word string) bool // reports further options that are safe

	refusal      string   // why a star is never accepted: its words would be another command
	operand      bool     // the grant has to name the first word: it says what is run
	through      bool     // the first word is a program of its own
	first        []string // first words that a star covers; nil: any
	lead         []string // options that may precede the first word
	more         []string // first words after which the grant has to name the next word too; it may be a program
	options      []string // long options that are not safe, nor are their abbreviations
	letters      string   // short options that are not safe
	commandAfter string   // a word that a command follows, which the grant has to name
	subcommands  map[string]wildcardRules
	check        func(words []string, n int) bool // of a whole command; the star covers words[n:]
}

// wildcardRulesOf returns the rules for the program that words begin with. A program in any folder
// that has the name of a known one, also with a version or for another machine, has its rules.
func wildcardRulesOf(words []string) wildcardRules {
	name := strings.TrimSuffix(strings.ToLower(path.Base(words[0])), ".exe")
	for _, name := range plainNames(name) {
		if m, ok := wildcardRulesByName(name); ok {
			return m
		}
	}
	return wildcardRules{}
}

func wildcardRulesByName(name string) (m wildcardRules, known bool) {
	switch {
	case stateCommands.get()[name]:
		return wildcardRules{refusal: "it changes what later commands mean"}, true
	case slices.Contains(commandWrappers.get(), name):
		return wildcardRules{refusal: "it runs whatever command is given to it"}, true
	case slices.Contains(packageRunners.get(), name):
		return wildcardRules{known: true, operand: true, through: true}, true
	case slices.Contains(interpreters.get(), name):
		return wildcardRules{operand: true, more: []string{"-m", "-c", "-e", "-lc"}}, true
	case harmlessPrograms.get()[name]:
		return wildcardRules{known: true, free: true}, true
	}
	if m, ok := programs.Get()[name]; ok {
		m.known = true
		return m, true
	}
	rule, trusted := trustedPrograms.Get()[name]
	switch {
	case !trusted:
		return wildcardRules{}, false
	case rule == nil:
		return wildcardRules{known: true, free: true}, true
	}
	return wildcardRules{known: true, free: true, check: func(words []string, _ int) bool { return rule(words[1:]) }}, true
}

// plainNames returns a program's name, followed by those that it is a variant of: without a
// version (gcc-12, python3.12, tclsh8.6), the machine that it is for (x86_64-linux-gnu-gcc,
// perl5.36-x86_64-linux-gnu) and endings (python3-dbg).
func plainNames(name string) []string {
	all := []string{name}
	for {
		short := name
		if found := machine.Get().FindStringIndex(name); found != nil {
			if short = strings.Trim(name[:found[0]], "-"); found[0] == 0 {
				short = name[found[1]:]
			}
		} else if base := ending.Get().FindString(name); base != "" && base != name {
			short = strings.TrimSuffix(name, base)
		}
		if short == name || short == "" {
			return all
		}
		name = short
		all = append(all, name)
	}
}

// machine matches the triple or the pair that names a machine, with the dash that separates it.
var machine = lazy.Value[*regexp.Regexp]{New: func() *regexp.Regexp {
	const cpu, system = `(x86_64|i[3-6]86|amd64|arm[a-z0-9]*|aarch64|riscv[a-z0-9]*|powerpc[a-z0-9]*|ppc[a-z0-9]*|mips[a-z0-9]*|s390x?|sparc[a-z0-9]*|loongarch[a-z0-9]*|wasm[0-9]*|avr|m68k)`,
		`(pc|unknown|none|linux|apple|w64|redhat|suse|alpine|elf|eabi[a-z]*|gnu[a-z0-9]*|musl[a-z]*|mingw32|darwin[0-9.]*|freebsd[0-9.]*|wasi)`
	return regexp.MustCompile(`^` + cpu + `(-` + system + `)+-|-` + cpu + `(-` + system + `)+`)
}}

var ending = lazy.Regexp{Expr: `[-.]?[0-9]+(\.[0-9]+)*[a-z]?$|-(dbg|debug|static|config|bin|real|wrapped|rc)$`}

// refuses returns why a star must not follow these words; "" if it may.
func (m wildcardRules) refuses(words []string) string {
	if m.refusal != "" {
		return m.refusal
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
		if why := wildcardRulesOf(words[inner:]).refuses(words[inner:]); why != "" {
			return why
		}
	}
	if !m.allows(words, len(words)) {
		return "what is named makes the program run others"
	}
	return ""
}

// allows reports whether the star covers words[n:].
func (m wildcardRules) allows(words []string, n int) bool {
	at := m.position(words)
	if inner, there := m.inner(words, at); there && inner < n && !wildcardRulesOf(words[inner:]).allows(words[inner:], n-inner) {
		return false
	}
	rules := []wildcardRules{m, {}}
	if at < len(words) {
		if at >= n && m.first != nil && !slices.Contains(m.first, words[at]) {
			return false
		}
		rules[1] = m.subcommands[words[at]]
	}
	free := words[n:]
	if inner, there := m.inner(words, at); !there || inner >= n {
		if !m.known && slices.ContainsFunc(free, runningOperand) || slices.ContainsFunc(free, func(word string) bool {
			return option(word) && word != "--" && !m.isSafe(word) && !rules[1].isSafe(word)
		}) {
			return false
		}
	}
	for _, rule := range rules {
		if slices.ContainsFunc(free, rule.forbids) || rule.check != nil && !rule.check(words, n) || !rule.allowsCommand(words, n) {
			return false
		}
	}
	return !slices.ContainsFunc(free, runsOthers)
}

func (m wildcardRules) allowsCommand(words []string, n int) bool {
	at := slices.Index(words, m.commandAfter) + 1
	if m.commandAfter == "" || at == 0 {
		return true
	}
	if at >= n || option(words[at]) {
		return false
	}
	inner := wildcardRulesOf(words[at:])
	return inner.refuses(words[at:n]) == "" && inner.allows(words[at:], n-at)
}

// position returns the index of the first word after the leading options.
func (m wildcardRules) position(words []string) int {
	at := 1
	for at < len(words) && slices.Contains(m.lead, words[at]) {
		at++
	}
	return at
}

// inner returns the index of the words that may be a command of their own, if there are such.
func (m wildcardRules) inner(words []string, at int) (int, bool) {
	switch {
	case at >= len(words):
		return 0, false
	case slices.Contains(m.more, words[at]):
		return at + 1, true
	}
	return at, m.through
}

func (m wildcardRules) forbids(word string) bool {
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

// isSafe reports whether m lists an option as safe.
func (m wildcardRules) isSafe(word string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	switch {
	case m.free, m.safeIf != nil && m.safeIf(word), slices.Contains(m.safe, name), slices.Contains(m.lead, word):
		return true
	case strings.HasPrefix(word, "--") || m.short == "":
		return false
	}
	// A value may follow the letters, but none that could be a path or a setting.
	return !strings.ContainsFunc(name, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return letter && m.short != "*" && !strings.ContainsRune(m.short, r) || !letter && m.short != "*" && !strings.ContainsRune("0123456789,.+%:", r)
	})
}

// runningOperand reports whether a word could make an unknown program run something, or read its
// settings from elsewhere.
func runningOperand(word string) bool {
	if word == "" {
		return false
	}
	return strings.ContainsRune("@+|!", rune(word[0])) || assignment.Get().MatchString(word) || slices.Contains(runningWords.get(), word)
}

var assignment = lazy.Regexp{Expr: `^[A-Za-z_][A-Za-z0-9_]*=`}

// runsOthers reports whether a word is an option with which many programs run another.
func runsOthers(word string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	return option(word) && slices.Contains(runningOptions.get(), name)
}

// harmlessGlob reports whether no file that a pattern matches can be read as an option, or as
// anything else than a file: the names begin as the pattern does.
func (m wildcardRules) harmlessGlob(pattern string) bool {
	lead := pattern[:strings.IndexAny(pattern+"*", "*?[")]
	if m.operand || m.first != nil || m.check != nil || m.subcommands != nil || !m.known {
		return strings.Contains(lead, "/") && lead[0] != '-'
	}
	return lead != "" && lead[0] != '-' && lead[0] != '+' && lead[0] != '@'
}

func option(word string) bool { return len(word) > 1 && word[0] == '-' }

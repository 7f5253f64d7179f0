package skill

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mentioned returns the skills that a prompt names as $name, in the order in which it does, each
// once. A name is made of letters, digits and "._:-", and its case does not count; "$"
// within a word begins none. Pure numbers, and names that several skills have, mention
// nothing. Punctuation that ends a sentence belongs to a name only if there is such a skill.
func Mentioned(prompt string, skills []Skill) []Skill {
	byName := map[string]*Skill{} // nil: several have the name
	for i, s := range skills {
		name := strings.ToLower(s.Name)
		if _, twice := byName[name]; twice {
			byName[name] = nil
		} else {
			byName[name] = &skills[i]
		}
	}
	var mentioned []Skill
	taken := map[*Skill]bool{}
	for at := 0; ; {
		i := strings.IndexByte(prompt[at:], '$')
		if i < 0 {
			return mentioned
		}
		at += i + 1
		before, _ := utf8.DecodeLastRuneInString(prompt[:at-1])
		name := prompt[at : at+nameLength(prompt[at:])]
		at += len(name)
		if inWord(before) || strings.Trim(name, "0123456789") == "" {
			continue
		}
		if s := lookUp(byName, strings.ToLower(name)); s != nil && !taken[s] {
			taken[s] = true
			mentioned = append(mentioned, *s)
		}
	}
}

// Instructions returns the texts of the skills that a prompt names, for a model, and their
// names. Those that cannot be read are left out, with an error each.
func Instructions(prompt string, skills []Skill) (names []string, text string, errs []error) {
	for _, s := range Mentioned(prompt, skills) {
		body, err := s.Text()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		names = append(names, s.Name)
		text += fmt.Sprintf("# Skill %s, from %s\n\n%s\n\n", s.Name, s.Dir, body)
	}
	return names, text, errs
}

// lookUp finds a name, or else what is left of it without punctuation at its end.
func lookUp(byName map[string]*Skill, name string) *Skill {
	if s, ok := byName[name]; ok {
		return s
	}
	return byName[strings.TrimRight(name, "._:-")]
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// nameLength returns how many bytes of text, from its beginning, can be a name.
func nameLength(text string) int {
	for i, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._:-", r) || r == utf8.RuneError {
			return i
		}
	}
	return len(text)
}

package skill

import (
	"fmt"
	"strings"
)

// maxCatalogue is how long a Catalogue gets, in bytes: it is part of every request.
const maxCatalogue = 12 << 10

const catalogueHead = `# Skills

A skill is a folder with instructions for one kind of task. If one of these fits the task, or the user names it, read its
instructions before you begin, and then only what they lead to; paths in them begin at the skill's folder.

`

// Catalogue returns the part of a system prompt that lists the skills; "" if there are none.
// Where the descriptions would make it long, it has their previews, and then leaves
// skills out.
func Catalogue(skills []Skill) string {
	skills = Offered(skills)
	if len(skills) == 0 {
		return ""
	}
	full := catalogueOf(skills, func(s Skill) string { return s.Description })
	if len(full) <= maxCatalogue {
		return full
	}
	return catalogueOf(skills, func(s Skill) string { return s.Preview })
}

func catalogueOf(skills []Skill, about func(Skill) string) string {
	var text strings.Builder
	text.WriteString(catalogueHead)
	for i, s := range skills {
		line := fmt.Sprintf("- %s: %s (%s)\n", s.Name, about(s), oneLine(s.Path()))
		if about(s) == s.Preview && text.Len()+len(line) > maxCatalogue {
			fmt.Fprintf(&text, "- … and %d more\n", len(skills)-i)
			break
		}
		text.WriteString(line)
	}
	return text.String()
}

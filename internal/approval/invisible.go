package approval

import (
	"slices"
	"strings"

	"parley.dev/parley/internal/invisible"
)

// Invisible returns a sentence with the names of the characters of r that the user cannot see as
// what they are: they have no width, change the direction of text, look like a blank that
// separates words but do not, or are control characters. It returns "" if there are none. With
// such characters the user approves something else than what runs.
func (r Request) Invisible() string {
	texts := []string{r.Command, r.URL, r.Summary}
	for _, p := range r.Paths {
		texts = append(texts, p.Path, p.Shown)
	}
	var found []string
	for _, text := range texts {
		for _, c := range text {
			if name := invisible.Name(c); invisible.Is(c) && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	return invisibleText("it", found)
}

// invisibleText returns a sentence that says that what contains characters with these names.
func invisibleText(what string, names []string) string {
	const most = 5
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "…")
	}
	return what + " holds characters that cannot be seen: " + strings.Join(names, ", ")
}

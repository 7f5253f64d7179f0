package skill

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func named(names ...string) []Skill {
	var skills []Skill
	for _, name := range names {
		skills = append(skills, Skill{Name: name, Description: "About " + name + ".", Preview: "About...", Dir: "/s/" + name})
	}
	return skills
}

func TestMentioned(t *testing.T) {
	skills := named("deploy", "Code-Review", "a.b:c_d", "twice", "Twice", "42", "v2.", "übung", "x")
	tests := []struct{ prompt, want string }{
		{"$deploy", "deploy"},
		{"Please $DEPLOY it, then $code-review.", "deploy Code-Review"},
		{"$x $deploy $x", "x deploy"},
		{"($deploy)", "deploy"},
		{"run $a.b:c_d now", "a.b:c_d"},
		{"$deploy: do it", "deploy"},
		{"$deploy...", "deploy"},
		{"$v2.", "v2."},
		{"$v2", ""},
		{"$ÜBUNG", "übung"},
		{"costs 5$deploy", ""},
		{"a$deploy", ""},
		{"_$deploy", ""},
		{"é$deploy", ""},
		{"-$deploy", "deploy"},
		{"$$deploy", "deploy"},
		{"$42 and $deployed", ""},
		{"$twice", ""},
		{"$deploy/x", "deploy"},
		{"$ deploy $", ""},
		{"", ""},
	}
	for _, test := range tests {
		var got []string
		for _, s := range Mentioned(test.prompt, skills) {
			got = append(got, s.Name)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%q: %v, want %q", test.prompt, got, test.want)
		}
	}
	if skills := Mentioned("$x", nil); skills != nil {
		t.Errorf("%v", skills)
	}
}

func FuzzMentioned(f *testing.F) {
	f.Add("$a $b. $$ \xff$a$a")
	skills := named("a", "b", "c.d")
	f.Fuzz(func(t *testing.T, prompt string) {
		seen := map[string]bool{}
		for _, s := range Mentioned(prompt, skills) {
			if seen[s.Name] || !strings.Contains(strings.ToLower(prompt), "$"+s.Name) {
				t.Fatalf("%q mentions %s", prompt, s.Name)
			}
			seen[s.Name] = true
		}
	})
}

func TestCatalogue(t *testing.T) {
	if text := Catalogue(nil); text != "" {
		t.Errorf("%q", text)
	}
	want := catalogueHead + "- a: About a. (/s/a/SKILL.md)\n- b: About b. (/s/b/SKILL.md)\n"
	if text := Catalogue(named("a", "b")); text != want {
		t.Errorf("%q", text)
	}
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("skill-%04d", i))
	}
	skills := named(names...)
	for _, count := range []int{250, 1000} {
		text := Catalogue(skills[:count])
		lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(text, catalogueHead), "\n"), "\n")
		if len(text) > maxCatalogue+30 || lines[0] != "- skill-0000: About... (/s/skill-0000/SKILL.md)" {
			t.Errorf("%d bytes, %q", len(text), lines[0])
		}
		if last := lines[len(lines)-1]; count == 1000 && last != fmt.Sprintf("- … and %d more", 1000-len(lines)+1) {
			t.Errorf("%q after %d lines", last, len(lines))
		}
	}
	if !slices.Equal(names[:1], []string{skills[0].Name}) {
		t.Error("the catalogue has changed the skills")
	}
}

package skill

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// layOut makes files below a new folder: a name that ends in "/" is a folder, a text that
// begins with "-> " a symlink. Roots below it are absolute.
func layOut(t testing.TB, files map[string]string) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path, text := filepath.Join(dir, name), files[name]
		target, link := strings.CutPrefix(text, "-> ")
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		switch {
		case err != nil:
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o777)
		case link:
			err = os.Symlink(target, path)
		default:
			err = os.WriteFile(path, []byte(text), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// found returns the names of the skills below the roots r of files, and the errors without dir.
func found(t testing.TB, files map[string]string, roots ...string) (names, errs []string) {
	t.Helper()
	dir := layOut(t, files)
	for i := range roots {
		roots[i] = filepath.Join(dir, roots[i])
	}
	skills, errs := Find(roots)
	for _, s := range skills {
		names = append(names, s.Name)
	}
	for i := range errs {
		errs[i] = strings.ReplaceAll(errs[i], dir+"/", "")
	}
	return names, errs
}

func TestRead(t *testing.T) {
	long := strings.Repeat("é", maxDescription+1)
	tests := []struct {
		name, text string
		want       Skill // Dir left out
		err        string
	}{
		{
			name: "front matter", text: "---\nname: Deploy\ndescription: >\n  Ships the\n  thing.\nlicense: MIT\nmetadata: {version: 2}\n---\n# Title\n\nBody.\n",
			want: Skill{Name: "Deploy", Description: "Ships the thing.", Preview: "Ships the thing....", Fields: map[string]any{"license": "MIT", "metadata": map[string]any{"version": 2}}},
		},
		{
			name: "none", text: "# The title\n\nMakes **bold** _plans_ with `code`, a [link](https://x.y/z) and\n> quotes that go on.\n\nSecond paragraph.\n",
			want: Skill{Name: "folder", Description: "Makes bold _plans_ with code, a link and quotes that go on.", Preview: "Makes bold _plans_ with code, a link and..."},
		},
		{name: "empty", text: "", want: Skill{Name: "folder", Description: noDescription, Preview: "no description provided..."}},
		{name: "only headings", text: "# One\n## Two\n\nThree\n=====\n---\n", want: Skill{Name: "folder", Description: "Three", Preview: "Three..."}},
		{name: "list", text: "1. First\n2. Second\n", want: Skill{Name: "folder", Description: "First Second", Preview: "First Second..."}},
		{
			name: "code, comments, images", text: "<!-- hidden -->\n```sh\nrm -rf /\n```\n![logo](a.png) Text\n",
			want: Skill{Name: "folder", Description: "logo Text", Preview: "logo Text..."},
		},
		{name: "hash that is no heading", text: "#1 in speed\n", want: Skill{Name: "folder", Description: "#1 in speed", Preview: "#1 in speed..."}},
		{name: "windows", text: "\uFEFF---\r\nname: win\r\n---\r\nLine.\r\n", want: Skill{Name: "win", Description: "Line.", Preview: "Line...."}},
		{name: "no end", text: "---\nname: x\n", want: Skill{Name: "folder", Description: "name: x", Preview: "name: x..."}},
		{
			name: "not valid", text: "---\nname: a: b: c\n---\nBody.\n",
			want: Skill{Name: "folder", Description: "Body.", Preview: "Body...."}, err: "its front matter is not valid: ",
		},
		{name: "no map", text: "---\n- a\n---\nBody.\n", want: Skill{Name: "folder", Description: "Body.", Preview: "Body...."}, err: "its front matter is not valid: "},
		{
			name: "other types", text: "---\nname: [a]\ndescription: 5\n---\nBody.\n",
			want: Skill{Name: "folder", Description: "Body.", Preview: "Body....", Fields: map[string]any{"name": []any{"a"}, "description": 5}},
		},
		{
			name: "lines in lists", text: "---\nname: \"a\\nb\\e[31m\"\ndescription: \"c\\n- d\"\n---\n",
			want: Skill{Name: "a b [31m", Description: "c - d", Preview: "c - d..."},
		},
		{name: "long", text: "---\nname: " + long + "\n---\n" + long, want: Skill{Name: long[:2*maxName] + "…", Description: long[:2*maxDescription] + "…", Preview: long[:2*maxDescription] + "……"}},
		{name: "not UTF-8", text: "caf\xe9 au lait\n", want: Skill{Name: "folder", Description: "caf au lait", Preview: "caf au lait..."}},
		{name: "binary", text: "a\x00b", err: "it is not a text"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(layOut(t, map[string]string{"folder/SKILL.md": test.text}), "folder")
			got, err := read(dir)
			if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("%v, want %q", err, test.err)
			}
			if test.want.Name != "" {
				test.want.Dir = dir
				test.want.Preview = strings.Replace(test.want.Preview, "……", "…...", 1)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFind(t *testing.T) {
	files := map[string]string{
		"r/b/SKILL.md": "", "r/a/SKILL.md": "", "r/a/sub/c/SKILL.md": "", "r/SKILL.md": "---\nname: top\n---\n",
		"r/.hidden/x/SKILL.md": "", "r/1/2/3/4/5/6/SKILL.md": "", "r/1/2/3/4/5/6/7/SKILL.md": "", "r/d/skill.md": "",
		"r/loop/self": "-> ../loop", "r/loop/up": "-> ../..", "r/linked": "-> ../away", "r/again": "-> a", "r/dangling": "-> nowhere",
		"away/SKILL.md": "", "away/deep/SKILL.md": "", "other/b/SKILL.md": "Another.",
	}
	names, errs := found(t, files, "r", "nowhere", "other", "r")
	// "up" leads to everything, but each folder counts once, where it is first met: level by level.
	want := []string{"top", "6", "a", "c", "b", "linked", "deep", "b"}
	slices.Sort(want)
	got := slices.Sorted(slices.Values(names))
	if !slices.Equal(got, want) || errs != nil {
		t.Errorf("got %v, %v", names, errs)
	}
	if names[0] != "top" || slices.Index(names, "a") > slices.Index(names, "b") {
		t.Errorf("in the order %v", names)
	}
}

func TestFindCollectsErrors(t *testing.T) {
	dir := layOut(t, map[string]string{
		"r/good/SKILL.md": "Good.\n", "r/bad/SKILL.md": "---\n{\n---\n", "r/binary/SKILL.md": "\x00", "r/folder/SKILL.md/": "",
		"r/stolen/SKILL.md": "-> ../../secret", "r/shared/SKILL.md": "-> ../good/SKILL.md", "r/dangling/SKILL.md": "-> gone",
		"r/closed/SKILL.md": "", "secret": "top secret", "file": "",
	})
	if err := syscall.Mkfifo(dir+"/r/SKILL.md", 0o666); err != nil {
		t.Fatal(err)
	}
	skills, errs := Find([]string{dir + "/r", dir + "/file"})
	var names []string
	for _, s := range skills {
		names = append(names, s.Name)
	}
	if want := []string{"bad", "closed", "good", "shared"}; !slices.Equal(names, want) {
		t.Errorf("found %v", names)
	}
	text := strings.ReplaceAll(strings.Join(errs, "\n"), dir, "")
	for _, want := range []string{
		"/r/SKILL.md: it is not a regular file", "/r/bad/SKILL.md: its front matter is not valid", "/r/binary/SKILL.md: it is not a text",
		"/r/folder/SKILL.md: it is not a regular file", "/r/stolen/SKILL.md: it is a link to a file of another name",
		"/r/dangling/SKILL.md: no such file or directory", "/file: not a directory",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if len(errs) != 7 || strings.Contains(text, "secret") {
		t.Errorf("%d errors:\n%s", len(errs), text)
	}
}

func TestFindUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("for root everything can be read")
	}
	dir := layOut(t, map[string]string{"r/closed/SKILL.md": "", "r/folder/x": ""})
	for _, path := range []string{"/r/closed/SKILL.md", "/r/folder"} {
		if err := os.Chmod(dir+path, 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(dir+"/r/folder", 0o700) })
	if skills, errs := Find([]string{dir + "/r"}); len(skills) != 0 || len(errs) != 2 {
		t.Errorf("%v %v", skills, errs)
	}
}

func TestFindIsBounded(t *testing.T) {
	files := map[string]string{}
	for i := range maxFolders + 10 {
		files[fmt.Sprintf("r/%04d/SKILL.md", i)] = "---\nx\n---\n"
	}
	names, errs := found(t, files, "r")
	if len(names) != maxFolders-1 || len(errs) != maxErrors+1 || errs[maxErrors] != "there are more errors" {
		t.Errorf("%d skills, %d errors: %v", len(names), len(errs), errs[len(errs)-1])
	}

	big := map[string]string{"r/big/SKILL.md": "Big.\n\n" + strings.Repeat("x", 1<<20)}
	skills, errs := Find([]string{filepath.Join(layOut(t, big), "r")})
	if len(skills) != 1 || skills[0].Description != "Big." || errs != nil {
		t.Fatalf("%v %v", skills, errs)
	}
	text, err := skills[0].Text()
	if err != nil || len(text) > maxText+200 || !strings.HasSuffix(text, "[… the rest of SKILL.md is left out: it has more than 256 KiB …]\n") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if err := os.Remove(skills[0].Path()); err != nil {
		t.Fatal(err)
	}
	if _, err := skills[0].Text(); err == nil || err.Error() != "read skill big: no such file or directory" {
		t.Errorf("%v", err)
	}
}

func TestFiles(t *testing.T) {
	dir := layOut(t, map[string]string{
		"SKILL.md": "", "scripts/run.sh": "", "a.md": "", ".hidden": "", ".git/config": "", "empty/": "", "link": "-> a.md", "away": "-> /", "references/SKILL.md": "",
	})
	files, more := Skill{Dir: dir}.Files()
	if want := []string{"a.md", "away", "link", "references/SKILL.md", "scripts/run.sh"}; !slices.Equal(files, want) || more {
		t.Errorf("%v %t", files, more)
	}
	many := map[string]string{}
	for i := range maxFiles + 1 {
		many[fmt.Sprint(i)] = ""
	}
	if files, more := (Skill{Dir: layOut(t, many)}).Files(); len(files) != maxFiles || !more {
		t.Errorf("%d %t", len(files), more)
	}
	if files, more := (Skill{Dir: dir + "/gone"}).Files(); files != nil || more {
		t.Errorf("%v %t", files, more)
	}
}

// TestHidden: a skill that is only for the user is found, and models are not offered it.
func TestHidden(t *testing.T) {
	for head, want := range map[string]bool{
		"disable-model-invocation: true": true, "disableModelInvocation: true": true, "hide: true": true, `hide: "true"`: true,
		"disable-model-invocation: false": false, "hide: no": false, "user-invocable: true": false,
	} {
		skills, errs := Find([]string{layOut(t, map[string]string{"deploy/SKILL.md": "---\n" + head + "\ndescription: Deploys.\n---\n"})})
		if len(skills) != 1 || len(errs) > 0 || skills[0].Hidden != want {
			t.Errorf("%s: %+v, %v", head, skills, errs)
			continue
		}
		if offered := len(Offered(skills)) == 1 && strings.Contains(Catalogue(skills), "Deploys."); offered == want {
			t.Errorf("%s: offered: %v", head, offered)
		}
		if named := Mentioned("Do $deploy.", skills); len(named) != 1 {
			t.Errorf("%s: a prompt cannot name it", head)
		}
	}
}

// TestCopies: a copy of a skill for another agent is not a second skill; a different one is.
func TestCopies(t *testing.T) {
	dir := layOut(t, map[string]string{
		".agents/skills/a/SKILL.md": "Same.", ".claude/skills/a/SKILL.md": "Same.", ".agents/skills/b/SKILL.md": "One.\n\nX", ".claude/skills/b/SKILL.md": "One.\n\nY",
	})
	skills, errs := Find(Places{Dir: dir}.Roots())
	var found []string
	for _, s := range skills {
		found = append(found, strings.TrimPrefix(s.Dir, dir+"/"))
	}
	if diff := cmp.Diff([]string{".agents/skills/a", ".agents/skills/b", ".claude/skills/b"}, found); diff != "" || len(errs) > 0 {
		t.Error(diff, errs)
	}
}

func TestRoots(t *testing.T) {
	dir := layOut(t, map[string]string{"repo/.git/HEAD": "", "repo/a/b/": "", "plain/": "", "tree/.git": "gitdir: x", "tree/c/": ""})
	tests := []struct {
		places Places
		want   []string
	}{
		{Places{Dir: dir + "/repo/a/b", Home: dir + "/home", State: dir + "/state"}, []string{
			"repo/.agents/skills", "repo/.claude/skills", "repo/a/.agents/skills", "repo/a/.claude/skills", "repo/a/b/.agents/skills", "repo/a/b/.claude/skills",
			"state/skills", "home/.agents/skills", "home/.claude/skills",
		}},
		{Places{Dir: dir + "/repo", Home: dir + "/repo"}, []string{"repo/.agents/skills", "repo/.claude/skills"}},
		{Places{Dir: dir + "/plain", Home: dir + "/home", Paths: []string{dir + "/p", dir + "/plain/.agents/skills"}}, []string{
			"plain/.agents/skills", "plain/.claude/skills", "home/.agents/skills", "home/.claude/skills", "p",
		}},
		{Places{Dir: dir + "/tree/c"}, []string{"tree/.agents/skills", "tree/.claude/skills", "tree/c/.agents/skills", "tree/c/.claude/skills"}},
		{Places{Dir: dir + "/plain"}, []string{"plain/.agents/skills", "plain/.claude/skills"}},
		{Places{}, nil},
	}
	for _, test := range tests {
		var got []string
		for _, root := range test.places.Roots() {
			got = append(got, strings.TrimPrefix(root, dir+"/"))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%+v: %s", test.places, diff)
		}
	}
}

// Whatever a SKILL.md holds, what is listed of it is short, plain and one line.
func FuzzRead(f *testing.F) {
	f.Add("---\nname: x\ndescription: y\n---\nText [a](b) `c`.\n")
	f.Add("---\na: &a [1]\nb: *a\n---\n> - 1. **x**\n")
	f.Add("[[[](](")
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		if err := os.WriteFile(dir+"/SKILL.md", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := read(dir)
		if err != nil && s.Name == "" {
			return
		}
		for _, shown := range []string{s.Name, s.Description, s.Preview} {
			if shown == "" || !utf8.ValidString(shown) || strings.ContainsAny(shown, "\n\r\x00\x1b") || len(shown) > 4*maxDescription+10 {
				t.Fatalf("%q", shown)
			}
		}
		if text, err := s.Text(); err != nil || !utf8.ValidString(text) {
			t.Fatalf("%v", err)
		}
	})
}

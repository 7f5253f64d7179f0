package approval

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// words that mean themselves once their quotes are gone, and what they mean.
var quotedWords = map[string]string{
	`rm`:              "rm",
	`r\m`:             "rm",
	`\\`:              `\`,
	`a\\b`:            `a\b`,
	`\\\\`:            `\\`,
	`\$x`:             "$x",
	`a\ b`:            "a b",
	`\"`:              `"`,
	`'a\b'`:           `a\b`,
	`'"'"'"`:          `"'`,
	`"a\nb"`:          `a\nb`,
	`"\$x"`:           "$x",
	`"\\"`:            `\`,
	`"\""`:            `"`,
	"\"\\`\"":         "`",
	`"\'"`:            `\'`,
	"a\\\nb":          "ab",
	"\"a\\\nb\"":      "ab",
	"'a\\\nb'":        "a\\\nb",
	`""`:              "",
	`a""b''c`:         "abc",
	`"a$"`:            "a$",
	`"größe"\é`:       "größeé",
	`$'rm'`:           "rm",
	`$'\x72\155'`:     "rm",
	`$'\u0072\U6d'`:   "rm",
	`$'a\tb\n'`:       "a\tb\n",
	`$'\a\b\e\E\f\v'`: "\a\b\x1b\x1b\f\v",
	`$'\'\"\\\?'`:     `'"\?`,
	`$'\q\-'`:         `\q\-`,
	`$'\x'`:           `\x`,
	`$'\xg'`:          `\xg`,
	`$'\x4142'`:       "A42",
	`$'\1234'`:        "S4",
	`$'\cA\ca'`:       "\x01\x01",
	`$'\u00e9x'`:      "éx",
	`$'a\0b'`:         "a",
	`$'a\x00b'c`:      "ac",
	`"$'a'"`:          "$'a'",
	`$"rm"`:           "rm",
}

func TestLiteral(t *testing.T) {
	for word, want := range quotedWords {
		file, err := ParseShell("x " + word)
		if err != nil {
			t.Errorf("%q: %v", word, err)
			continue
		}
		commands, _ := simpleCommands("x " + word)
		if len(file.Stmts) != 1 || !slices.Equal(commands, []string{"x " + want}) {
			t.Errorf("%q is read as %q, want %q", word, commands, want)
		}
	}
}

// TestLiteralAsBash holds the table against the shell itself.
func TestLiteralAsBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	var script strings.Builder
	var want strings.Builder
	for word, text := range quotedWords {
		script.WriteString("printf '%s\\0' " + word + "\n")
		want.WriteString(text + "\x00")
	}
	cmd := exec.CommandContext(t.Context(), bash, "--norc", "--noprofile", "-c", script.String())
	cmd.Env = []string{"LC_ALL=C.UTF-8"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(string(out), "\x00"), strings.Split(want.String(), "\x00")
	if len(got) != len(wanted) {
		t.Fatalf("bash says %q, want %q", got, wanted)
	}
	for i := range got {
		if got[i] != wanted[i] {
			t.Errorf("bash says %q, the table %q", got[i], wanted[i])
		}
	}
}

// TestQuotedRules: quotes hide no command from a denying rule, and an allowing rule takes
// no word that only some shells read in the way it does.
func TestQuotedRules(t *testing.T) {
	cases := []struct {
		line        string
		allow, deny bool // by a rule for "rm *"
	}{
		{`rm x`, true, true},
		{`\rm x`, true, true},
		{`"rm" x`, true, true},
		{`"r\m" x`, false, false}, // a program with a backslash in its name
		{`r\\m x`, false, false},
		{`$'\x72m' x`, false, true},
		{`$'rm' x`, false, true},
		{`$"rm" x`, false, true},
		{`rm $'x'`, false, true},
		{"rm a \\\r\nls", false, true},
		{"echo a \\\r\nrm x", false, true},
		{"rm x # ls", true, true},
		{"echo # rm x", false, false},
		{"rm " + strings.Repeat("x", maxLine), false, true},
		{"ls " + strings.Repeat("x", maxLine), false, true},
		{strings.Repeat("(", maxNested+1), false, true},
	}
	for _, c := range cases {
		r := Request{Tool: "bash", Level: Execute, Command: c.line}
		if got := (Rule{Allow, "bash", "rm *"}).Matches(r); got != c.allow {
			t.Errorf("%.50q: allowed %t", c.line, got)
		}
		for _, verdict := range []Verdict{Ask, Deny} {
			if got := (Rule{verdict, "bash", "rm *"}).Matches(r); got != c.deny {
				t.Errorf("%.50q: verdict %d, %t", c.line, verdict, got)
			}
		}
	}
}

// TestDeepLines: nesting is read or refused, and never takes so much stack that the process ends.
func TestDeepLines(t *testing.T) {
	for _, piece := range []string{"(", "((", "a[", "$((", "${a[", `"$(`, "`", "if ", "time ", "ls | ", "<<a\n"} {
		for _, times := range []int{maxNested / len(piece), maxNested, maxLine / len(piece), 2 * maxLine} {
			line := strings.Repeat(piece, times)
			nested := strings.Count(line, "(") + strings.Count(line, "[") + strings.Count(line, "{")
			deep := len(line) > maxLine || nested > maxNested
			if _, err := simpleCommands(line); errors.Is(err, errUnclear) != deep {
				t.Errorf("%q × %d: %v", piece, times, err)
			}
		}
	}
	if !Trusted(strings.Repeat("ls && ", 20_000) + "ls") {
		t.Error("a long line of listings is not trusted")
	}
}

package man

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/cli"
)

// TestPages writes the pages of a small program and reads them: a page for each command that the help lists.
func TestPages(t *testing.T) {
	folder := t.TempDir()
	if err := writePages(program(), folder, "2026-01-31"); err != nil {
		t.Fatal(err)
	}
	var names []string
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"parley-cook-soup.1", "parley-cook.1", "parley-console.1", "parley-host.1", "parley.1"}; !cmp.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(want))) {
		t.Errorf("the pages are %q, want %q", names, want)
	}
	for name, want := range map[string]string{
		"parley.1":         ".SH COMMANDS\n.TP\n\\fBparley\\-cook\\fR(1)\nCook.\n",
		"parley-console.1": "\\fBparley\\-tui\\fR(1)\n",
		"parley-cook-soup.1": `.TH "PARLEY-COOK-SOUP" "1" "2026-01-31" "Parley ` + cli.Version + `" "Parley"
.nh
.ad l
.SH NAME
parley\-cook\-soup \- Cook a soup
.SH SYNOPSIS
\fBparley cook soup\fR NAME [flags]
.SH DESCRIPTION
A soup \[u2026] is
\&.hot and \e.
.PP
Try:
.RS 4
.nf
parley cook soup
    \-\-salt 3
.fi
.RE
.SH OPTIONS
.TP
\fB\-h\fR, \fB\-\-help\fR
help for soup
.TP
\fB\-\-plain\fR
no salt
.TP
\fB\-\-salt\fR \fIGRAMS\fR
GRAMS of salt (default: 2)
.SH SEE ALSO
\fBparley\-cook\fR(1)
`,
	} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "parley-cook-soup.1" && cmp.Diff(want, string(text)) != "" {
			t.Error(cmp.Diff(want, string(text)))
		}
		if !strings.Contains(string(text), want) {
			t.Errorf("%s does not contain %q:\n%s", name, want, text)
		}
	}
}

func program() *cobra.Command {
	nothing := func(*cobra.Command, []string) {}
	root, cook := &cobra.Command{Use: "parley", Short: "A program"}, &cobra.Command{Use: "cook", Short: "Cook"}
	soup := &cobra.Command{
		Use: "soup NAME", Short: "Cook a soup", Run: nothing,
		Long: "A soup … is\n.hot and \\.\n\nTry:\n  parley cook soup\n      --salt 3",
	}
	soup.Flags().Int("salt", 2, "`GRAMS` of salt")
	soup.Flags().Bool("plain", false, "no salt")
	soup.Flags().Bool("internal", false, "not for users")
	_ = soup.Flags().MarkHidden("internal") // it is there
	root.AddCommand(cook)
	cook.AddCommand(soup, &cobra.Command{Use: "secret", Hidden: true, Run: nothing})
	return root
}

// TestDate refuses what is no date.
func TestDate(t *testing.T) {
	cmd := Command()
	cmd.SetArgs([]string{"--date", "yesterday", t.TempDir()})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), "2026-01-31") {
		t.Errorf("the error is %v", err)
	}
}

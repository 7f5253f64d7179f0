package man

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley.dev/parley/internal/cli"
)

// page returns the page of a command, without the sections at its end.
func page(cmd *cobra.Command, date string) string {
	cmd.InitDefaultHelpFlag()
	var b strings.Builder
	b.WriteString(header(pageName(cmd), cmd.Short, date))
	b.WriteString(".SH SYNOPSIS\n")
	if cmd.Runnable() || !cmd.HasAvailableSubCommands() {
		b.WriteString(usageLine(cmd, cmd.UseLine()))
	}
	if cmd.HasAvailableSubCommands() {
		if cmd.Runnable() {
			b.WriteString(".br\n")
		}
		b.WriteString(usageLine(cmd, cmd.CommandPath()+" COMMAND [flags]"))
	}
	b.WriteString(".SH DESCRIPTION\n")
	if cmd.Long != "" {
		b.WriteString(paragraphs(cmd.Long))
	} else {
		b.WriteString(escape(cmd.Short) + ".\n")
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, ".TP\n\\fB%s\\fR(1)\n%s.\n", escape(pageName(sub)), escape(sub.Short))
			}
		}
	}
	options(&b, "OPTIONS", cmd.NonInheritedFlags())
	options(&b, "OPTIONS OF ALL COMMANDS OF THE GROUP", cmd.InheritedFlags())
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + verbatim(strings.Split(cmd.Example, "\n")))
	}
	return b.String()
}

// header returns the beginning of a page: its title line and the section NAME. Names of commands are not
// hyphenated, and lines are not padded.
func header(name, short, date string) string {
	return fmt.Sprintf(".TH %q \"1\" %q %q \"Parley\"\n.nh\n.ad l\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name), date, "Parley "+cli.Version, escape(name), escape(short))
}

// usageLine returns a line of the synopsis, with the words of the command in bold.
func usageLine(cmd *cobra.Command, line string) string {
	rest := strings.TrimPrefix(line, cmd.CommandPath())
	return fmt.Sprintf("\\fB%s\\fR%s\n", escape(cmd.CommandPath()), escape(rest))
}

// options writes a section of flags with their values and defaults.
func options(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString(".SH " + title + "\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		names := "\\fB" + escape("--"+f.Name) + "\\fR"
		if f.Shorthand != "" {
			names = "\\fB" + escape("-"+f.Shorthand) + "\\fR, " + names
		}
		if value != "" {
			names += " \\fI" + escape(value) + "\\fR"
		}
		if !slices.Contains([]string{"", "0", "0s", "[]", "false"}, f.DefValue) && f.NoOptDefVal == "" {
			usage += fmt.Sprintf(" (default: %s)", f.DefValue)
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", names, escape(usage))
	})
}

// seeAlso returns the pages of the command's group and of the commands beside it.
func seeAlso(cmd *cobra.Command) string {
	pages := []string{"parley-console", "parley-host"}
	if cmd.HasParent() {
		pages = []string{pageName(cmd.Parent())}
		for _, other := range cmd.Parent().Commands() {
			if other != cmd && other.IsAvailableCommand() && cmd.Parent().HasParent() {
				pages = append(pages, pageName(other))
			}
		}
	}
	for i, name := range pages {
		pages[i] = "\\fB" + escape(name) + "\\fR(1)"
	}
	return ".SH SEE ALSO\n" + strings.Join(pages, ",\n") + "\n"
}

package approval

import (
	"slices"
	"strings"

	"parley.dev/parley/internal/lazy"
)

// shells are the programs of which a line that they run is checked, too.
var shells = []string{"bash", "sh", "zsh"}

// trustedPrograms are the programs that only read, each with the rule for its arguments; nil if
// no argument makes it write or run something.
var trustedPrograms = lazy.Value[map[string]func(args []string) bool]{New: func() map[string]func(args []string) bool {
	return map[string]func(args []string) bool{
		"cat": nil, "cut": nil, "expr": nil, "head": nil, "nl": nil, "numfmt": nil, "paste": nil, "rev": nil,
		"seq": nil, "tac": nil, "tail": nil, "tr": nil, "wc": nil, // tac keeps a pipe in a temporary file that has no name
		"cd": nil, "id": nil, "ls": nil, "pwd": nil, "stat": nil, "uname": nil, "which": nil, "whoami": nil,
		"echo": nil, "false": nil, "true": nil,
		"grep":   nil,
		"base64": trustedBase64,
		"find":   trustedFind,
		"rg":     trustedRipgrep,
		"sed":    trustedSed,
		"uniq":   trustedUniq,
	}
}}

// trustedUniq accepts one file: uniq writes the second. After the first, everything counts as a
// file, since some versions read no options there.
func trustedUniq(args []string) bool {
	return operands(args, "-f", "-s", "-w") <= 1
}

var base64Option = lazy.Regexp{Expr: `^(-[dDi]+|-w[0-9]*|--(decode|ignore-garbage|help|version|wrap=[0-9]+)?)$`}

// trustedBase64 accepts known options and one file: some versions have -o, some write a second file.
func trustedBase64(args []string) bool {
	for _, arg := range args {
		if len(arg) > 1 && arg[0] == '-' && !base64Option.Get().MatchString(arg) {
			return false
		}
	}
	return operands(args, "-w") <= 1
}

var digits = lazy.Regexp{Expr: `^[0-9]+$`}

// operands counts the arguments from the first that is no option. A number may follow the options
// in numbered.
func operands(args []string, numbered ...string) int {
	for i := 0; i < len(args); i++ {
		if len(args[i]) < 2 || args[i][0] != '-' {
			return len(args) - i
		}
		if args[i] == "--" {
			return len(args) - i - 1
		}
		if slices.Contains(numbered, args[i]) && i+1 < len(args) && digits.Get().MatchString(args[i+1]) {
			i++
		}
	}
	return 0
}

var sedPrint = lazy.Regexp{Expr: `^[0-9]+(,[0-9]+)?p$`}

// trustedSed accepts "-n" and one print by line numbers, of one file or of stdin. Other scripts
// can write files and run commands, and other arguments can be options.
func trustedSed(args []string) bool {
	if len(args) < 2 || len(args) > 3 || args[0] != "-n" || !sedPrint.Get().MatchString(args[1]) {
		return false
	}
	return len(args) == 2 || args[2] != "" && args[2][0] != '-'
}

// trustedFind accepts tests and ways to print. Any other word with a dash may run or write
// something in some version of find (-exec, -delete, -fprint, -rm); if it is the value of a test,
// the approval is requested without need.
func trustedFind(args []string) bool {
	for _, arg := range args {
		if len(arg) > 1 && arg[0] == '-' && !slices.Contains(findWords.get(), arg) && !findWord.Get().MatchString(arg) {
			return false
		}
	}
	return true
}

// findWord matches comparisons of file times (-newermt), and numbers and modes as values.
var findWord = lazy.Regexp{Expr: `^-(newer[aBcm][aBcmt]|O[0-3]|[0-9]+[a-zA-Z]?|[ugoa]+[=+][rwxXst]+(,[ugoa]+[=+][rwxXst]+)*)$`}

var findWords = wordList{words: `
	-- -H -L -P -E
	-a -and -not -o -or -true -false
	-amin -anewer -atime -cmin -cnewer -ctime -daystart -depth -empty -executable -follow -fstype -gid -group
	-ilname -iname -inum -ipath -iregex -iwholename -links -lname -maxdepth -mindepth -mmin -mount -mtime
	-name -newer -nogroup -noleaf -nouser -path -perm -readable -regex -regextype -samefile -size -type -uid
	-used -user -wholename -writable -xdev -xtype
	-ls -print -print0 -printf -prune -quit
`}

// trustedRipgrep refuses the options that run a program. "--" does not end the options here, since
// it may be the value of the option before it.
func trustedRipgrep(args []string) bool {
	for _, arg := range args {
		switch {
		case strings.HasPrefix(arg, "--"):
			if runsInRipgrep(arg) {
				return false
			}
		case strings.HasPrefix(arg, "-"):
			if zipsInRipgrep(arg[1:]) {
				return false
			}
		}
	}
	return true
}

// runsInRipgrep reports whether a long option runs programs: also an abbreviated one, and
// --pre-glob, which has no use without --pre.
func runsInRipgrep(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	for _, runs := range []string{"--pre", "--hostname-bin", "--search-zip"} {
		if name != "--" && strings.HasPrefix(runs, name) {
			return true
		}
	}
	return strings.HasPrefix(name, "--pre-")
}

// zipsInRipgrep reports whether -z is in a cluster of short options.
func zipsInRipgrep(letters string) bool {
	for _, c := range letters {
		switch {
		case c == 'z':
			return true
		case strings.ContainsRune("ABCEMTdefgjmrt", c):
			return false // the rest is its value
		}
	}
	return false
}

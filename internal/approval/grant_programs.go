package approval

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// shellChangers are the words of a shell after which what follows would be another thing.
var shellChangers = set(`
	. source alias unalias bind builtin command complete compgen compopt coproc declare disown enable eval exec
	export fc getopts hash history jobs let local logout mapfile read readarray readonly set shopt trap typeset umask
	ulimit unset wait setopt unsetopt zmodload autoload functions noglob nocorrect
`)

// shellMovers go to another folder.
var shellMovers = set("cd pushd popd")

// carriers run commands made of their words, or have a language of their own that can.
var carriers = strings.Fields(`
	env xargs sudo doas su runuser pkexec nice ionice chrt taskset nohup setsid setarch timeout time stdbuf unbuffer
	script watch parallel chroot unshare nsenter flock strace ltrace gdb lldb perf valgrind systemd-run at batch
	crontab ssh mosh rsh nc ncat netcat socat telnet awk gawk mawk nawk sed gsed vi vim nvim view vimdiff ex ed red emacs nano pico
	less more most man screen tmux expect busybox toybox start-stop-daemon entr direnv nix nix-shell run-parts tclsh
	wish openssl m4 dc mail mailx mutt zip ftp lftp sftp scp capsh setpriv firejail bwrap proot fakeroot faketime
	rlwrap ssh-agent dbus-run-session xvfb-run caffeinate osascript open xdg-open launchctl
	terraform ansible ansible-playbook vagrant gradle gradlew mvn sqlite3 psql mysql mariadb
`)

// interpreters run a program that is named to them, or text.
var interpreters = strings.Fields(`
	sh bash zsh dash ash ksh mksh fish csh tcsh pwsh powershell python python2 python3 pypy pypy3 perl ruby irb php lua
	luajit node nodejs deno bun ts-node tsx julia r rscript java jshell kotlin scala groovy erl escript elixir ghci
	runghc racket guile sbcl clojure clj swift dotnet
`)

// runners get and run a program that is named to them.
var runners = strings.Fields("npx bunx pnpx uvx pipx")

// versioned: python3.12, ruby2.7, lua5.4
var versioned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(python|pypy|perl|ruby|php|lua|node|g?awk|bash|zsh|ksh|guile)[0-9][0-9.]*$`)
})

// runningOptions make many a program run another, or read its settings from elsewhere.
var runningOptions = strings.Fields(`
	exec exec-batch exec-path execdir ok okdir eval command shell rsh rsync-path pager editor use-compress-program
	compress-program to-command checkpoint-action upload-pack receive-pack toolexec vettool init-file rcfile
	config-env extcmd ext-diff open-files-in-pager script-shell node-options require pre hostname-bin new-volume-script
	info-script rmt-command rsh-command plugin load-module
`)

// programs is what is known of programs whose options make them run others.
var programs = sync.OnceValue(func() map[string]manners {
	return map[string]manners{
		"git": {
			first: strings.Fields(`
			add am annotate apply archive blame branch cat-file check-attr check-ignore checkout checkout-index cherry
			cherry-pick clean clone commit count-objects describe diff diff-files diff-index diff-tree fetch
			for-each-ref format-patch fsck gc grep hash-object init log ls-files ls-remote ls-tree merge merge-base mv
			name-rev notes prune pull push range-diff rebase reflog remote reset restore rev-list rev-parse revert rm
			shortlog show show-branch show-ref sparse-checkout stash status switch symbolic-ref tag update-index
			update-ref verify-commit verify-tag version whatchanged worktree write-tree --version
		`),
			lead: strings.Fields("--no-pager -P --no-optional-locks --no-replace-objects --literal-pathspecs"),
			more: strings.Fields(`
			bisect config submodule filter-branch difftool mergetool send-email daemon hook for-each-repo credential
			maintenance bundle help web--browse instaweb svn p4 gui citool interpret-trailers lfs alias
		`),
			options: strings.Fields(`
			exec exec-path upload-pack receive-pack ext-diff extcmd output output-directory open-files-in-pager
			config config-env template unsafe-paths git-dir work-tree separate-git-dir
		`),
			letters: "O",
			under: map[string]manners{
				"bisect":       {behind: "run"},
				"submodule":    {behind: "foreach"},
				"clone":        {letters: "uc"},
				"fetch":        {letters: "u"},
				"rebase":       {letters: "x"},
				"archive":      {letters: "o", options: []string{"remote"}},
				"format-patch": {letters: "o"},
				"ls-remote":    {letters: "u"},
			},
			check: func(words []string, n int) bool { // a transport that runs a program
				return !slices.ContainsFunc(words[n:], func(word string) bool { return strings.Contains(word, "::") })
			},
		},
		"go": {
			first:   strings.Fields("build clean doc fix fmt list mod test version vet"),
			more:    strings.Fields("run tool generate env install get"),
			options: strings.Fields("exec toolexec vettool C overlay ldflags gccgoflags gcflags asmflags modfile pkgdir fixtool"),
		},
		"cargo": {
			first:   strings.Fields("build b check c test t bench clean doc d fmt clippy metadata tree update fetch version --version"),
			more:    strings.Fields("run r install fix add rustc rustdoc"),
			options: strings.Fields("config manifest-path"),
			letters: "ZC",
		},
		"npm": {
			first: strings.Fields("ci install i test t run run-script start build ls list outdated audit pack version view info why fund"),
			more:  strings.Fields("exec x config set create init explore edit"),
			options: strings.Fields(`
			script-shell node-options prefix userconfig globalconfig shell call editor viewer browser git workspace-root
		`),
			letters: "cC",
		},
		"pnpm": {operand: true, more: strings.Fields("exec dlx config set create"), options: strings.Fields("script-shell node-options dir shell-mode"), letters: "cC"},
		"yarn": {operand: true, more: strings.Fields("exec dlx node config set create"), options: strings.Fields("cwd script-shell node-options use-yarnrc")},
		"pip":  {operand: true, more: []string{"config"}}, "pip3": {operand: true, more: []string{"config"}},
		"uv":     {operand: true, more: strings.Fields("run tool"), options: strings.Fields("config-file directory project python with")},
		"poetry": {operand: true, more: strings.Fields("run config self"), options: strings.Fields("directory project"), letters: "CP"},
		"pipenv": {operand: true, more: []string{"run"}},
		"docker": containers, "podman": containers, "nerdctl": containers,
		"make": makers, "gmake": makers, "bmake": makers,
		"ninja": {letters: "Cft"},
		"just":  {options: strings.Fields("justfile working-directory shell shell-arg set command chooser"), letters: "fdc", check: noSettings},
		"cmake": {options: strings.Fields("build install open find-package workflow"), letters: "PEDCS", check: noSettings},
		"tar":   archivers, "bsdtar": archivers, "gtar": archivers,
		"rsync":   {options: strings.Fields("rsh rsync-path config daemon"), letters: "eM", check: noColons},
		"sort":    {options: strings.Fields("compress-program output files0-from temporary-directory"), letters: "oST"},
		"fd":      {options: strings.Fields("exec exec-batch"), letters: "xX"},
		"fdfind":  {options: strings.Fields("exec exec-batch"), letters: "xX"},
		"curl":    {options: strings.Fields("config libcurl engine"), letters: "K"},
		"wget":    {options: strings.Fields("use-askpass config execute"), letters: "e"},
		"pytest":  {letters: "pc", options: strings.Fields("confcutdir rootdir config-file override-ini")},
		"gcc":     compilers,
		"cc":      compilers,
		"g++":     compilers,
		"clang":   compilers,
		"gh":      {operand: true, more: strings.Fields("alias extension ext config codespace cs")},
		"kubectl": {operand: true, more: strings.Fields("exec run debug cp config plugin"), options: []string{"kubeconfig"}},
		"printf":  {letters: "v"},
		"test":    {letters: "v"},
		"eslint":  {letters: "cf", options: strings.Fields("config resolve-plugins-relative-to rulesdir parser format")},
		"jest":    {letters: "c", options: strings.Fields("config globalSetup setupFiles rootDir testEnvironment reporters runner transform")},
		"tsc":     {letters: "p", options: strings.Fields("project build plugins")},
	}
})

var (
	containers = manners{
		first: strings.Fields("ps images logs inspect version info stats top port diff history --version"),
		more:  strings.Fields("run exec create compose build buildx cp context plugin container image service stack"),
	}
	makers = manners{
		options: strings.Fields("eval file makefile directory include-dir environment-overrides"),
		letters: "fCIEe", check: noSettings,
	}
	archivers = manners{
		options: strings.Fields(`
			use-compress-program to-command checkpoint-action info-script new-volume-script rsh-command rmt-command
			absolute-names directory
		`),
		letters: "IFPC",
		check: func(words []string, n int) bool { // the letters may stand there without a dash
			return (n > 1 || len(words) < 2 || !strings.ContainsAny(words[1], "IFPC")) && noColons(words, n)
		},
	}
	compilers = manners{options: strings.Fields("wrapper plugin fplugin specs B config"), check: noAtFiles}
)

// noSettings: NAME=value sets a variable of a makefile, SHELL among them.
func noSettings(words []string, n int) bool {
	return !slices.ContainsFunc(words[n:], func(word string) bool { return !option(word) && strings.Contains(word, "=") })
}

// noColons: what has one may be a file of another machine, which a program is started for.
func noColons(words []string, n int) bool {
	return !slices.ContainsFunc(words[n:], func(word string) bool { return strings.Contains(word, ":") })
}

// noAtFiles: @file is more words; the options bring programs and plugins.
func noAtFiles(words []string, n int) bool {
	return !slices.ContainsFunc(words[n:], func(word string) bool {
		return slices.ContainsFunc([]string{"@", "-B", "-fplugin", "-specs", "-load"}, func(lead string) bool {
			return strings.HasPrefix(word, lead)
		})
	})
}

func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(words) {
		all[word] = true
	}
	return all
}

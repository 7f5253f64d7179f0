package approval

import (
	"slices"
	"strings"

	"parley.dev/parley/internal/lazy"
)

// stateCommands are the commands of shells that change the meaning of later commands.
var stateCommands = wordSet{words: `
	. source alias unalias bind builtin command complete compgen compopt coproc declare disown enable eval exec
	export fc getopts hash history jobs let local logout mapfile read readarray readonly set shopt trap typeset umask
	ulimit unset wait setopt unsetopt zmodload autoload functions noglob nocorrect
`}

// cdCommands change the working directory.
var cdCommands = wordSet{words: "cd pushd popd"}

// commandWrappers run their arguments as commands, or have a language of their own that can run
// commands. No star may follow them.
var commandWrappers = wordList{words: `
	env xargs sudo doas su runuser pkexec nice ionice chrt taskset nohup setsid setarch timeout time stdbuf unbuffer
	script watch parallel chroot unshare nsenter flock strace ltrace gdb lldb perf valgrind systemd-run at batch
	crontab ssh mosh rsh nc ncat netcat socat telnet awk gawk mawk nawk sed gsed vi vim nvim view vimdiff ex ed red emacs nano pico
	less more most man screen tmux busybox toybox start-stop-daemon entr direnv nix nix-shell run-parts openssl m4 dc mail mailx mutt zip ftp lftp sftp scp capsh setpriv firejail bwrap proot fakeroot faketime
	rlwrap ssh-agent dbus-run-session xvfb-run caffeinate osascript open xdg-open launchctl
	terraform ansible ansible-playbook vagrant gradle gradlew mvn sqlite3 psql mysql mariadb
	prlimit numactl chronic hyperfine logrotate sshpass ifne pee unbuffer cgexec dtach abduco tini dumb-init gosu
	su-exec s6-setuidgid chpst setlock softlimit eatmydata torsocks proxychains proxychains4 tsocks strace-log-merge rr
	timeit pdb trace cprofile profile runpy code doctest
`}

// interpreters run the program that an argument names, or program text.
var interpreters = wordList{words: `
	sh bash zsh dash ash ksh mksh fish csh tcsh rbash rksh rzsh yash posh nu xonsh elvish osh ysh oil rc es
	ipython bpython ptpython
	pwsh powershell python python2 python3 pypy pypy3 perl ruby irb php lua
	luajit node nodejs deno bun ts-node tsx julia tclsh wish expect r rscript java jshell kotlin scala groovy erl escript elixir ghci
	runghc racket guile sbcl clojure clj swift dotnet
`}

// packageRunners download and run the program that an argument names.
var packageRunners = wordList{words: "npx bunx pnpx uvx pipx"}

// harmlessPrograms run no other programs, whatever their options are.
var harmlessPrograms = wordSet{words: `
	basename chmod chown chgrp cksum cmp comm cp df du dirname file fold gunzip gzip iconv jq ln mkdir mktemp mv nproc od
	pgrep ps readlink realpath rm rmdir sha1sum sha224sum sha256sum sha384sum sha512sum md5sum b2sum sleep sync touch tree
	truncate tty uptime free hostid groups users date cal bzip2 bunzip2 xz unxz zcat hexdump xxd
`}

// runningWords are first words with which many programs run another.
var runningWords = wordList{words: "exec eval run shell console repl script with sh"}

// runningOptions make many programs run another, or read settings from elsewhere.
var runningOptions = wordList{words: `
	exec exec-batch exec-path execdir ok okdir eval command shell rsh rsync-path pager editor use-compress-program
	compress-program to-command checkpoint-action upload-pack receive-pack toolexec vettool init-file rcfile
	config-env extcmd ext-diff open-files-in-pager script-shell node-options require pre hostname-bin new-volume-script
	info-script rmt-command rsh-command plugin load-module
`}

// programs returns the rules for programs with options that make them run others.
var programs = lazy.Value[map[string]wildcardRules]{New: func() map[string]wildcardRules {
	return map[string]wildcardRules{
		"git": {
			first: strings.Fields(`
			add am annotate apply archive blame branch cat-file check-attr check-ignore checkout cherry
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
			safe:    gitOptions(),
			short:   "*",
			subcommands: map[string]wildcardRules{
				"bisect":       {commandAfter: "run"},
				"submodule":    {commandAfter: "foreach"},
				"clone":        {letters: "uc", check: staysBelow},
				"init":         {check: staysBelow},
				"worktree":     {check: staysBelow},
				"fetch":        {letters: "u"},
				"rebase":       {letters: "xs", options: []string{"strategy"}}, // runs git-merge-NAME, also from the folder
				"pull":         {letters: "s", options: []string{"strategy"}},
				"cherry-pick":  {letters: "s", options: []string{"strategy"}},
				"merge":        {letters: "s", options: []string{"strategy"}},
				"revert":       {letters: "s", options: []string{"strategy"}},
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
			safe: strings.Fields(`
			a asan bench benchmem benchtime buildvcs c compiled count cover covermode coverpkg coverprofile cpu deps diff e
			export f failfast find fix fullpath fuzz fuzzminimizetime fuzztime i json list m mod modcacherw msan n o p parallel
			race run short shuffle skip t tags test timeout trimpath u v vet versions x
			`),
			check: outputBelow,
		},
		"cargo": {
			first:   strings.Fields("build b check c test t bench clean doc d fmt clippy metadata tree update fetch version --version"),
			more:    strings.Fields("run r install fix add rustc rustdoc"),
			options: strings.Fields("config manifest-path"),
			letters: "ZC",
			short:   "pvqjrFDWA",
			safe: strings.Fields(`
			all-features all-targets allow-dirty allow-staged bench benches bin bins check color depth doc edition exact example
			examples exclude features fix frozen ignored include-ignored invert jobs lib list locked message-format no-default-features
			no-deps no-fail-fast no-run nocapture offline package precise profile quiet release show-output skip test test-threads
			tests verbose workspace
			`),
		},
		"npm": {
			first: strings.Fields("ci install i test t run run-script start build ls list outdated audit pack version view info why fund"),
			more:  strings.Fields("exec x config set create init explore edit"),
			options: strings.Fields(`
			script-shell node-options prefix userconfig globalconfig shell call editor viewer browser git workspace-root
		`),
			letters: "cC",
			safe:    scriptOptions(),
			short:   "DEOsw",
		},
		"pnpm": {
			operand: true, more: strings.Fields("exec dlx config set create"), options: strings.Fields("script-shell node-options dir shell-mode"),
			letters: "cC", safe: scriptOptions(), short: "DEOPsw",
		},
		"yarn": {
			operand: true, more: strings.Fields("exec dlx node config set create"), options: strings.Fields("cwd script-shell node-options use-yarnrc"),
			safe: scriptOptions(), short: "DEPsw",
		},
		"bun":  {operand: true, more: strings.Fields("run x exec create repl"), safe: scriptOptions(), short: "t"},
		"deno": {operand: true, more: strings.Fields("run eval repl task jupyter compile install"), short: "q"},
		"pip":  pips.Get(), "pip3": pips.Get(),
		"uv":     {operand: true, more: strings.Fields("run tool"), options: strings.Fields("config-file directory project python with"), safe: strings.Fields("frozen locked offline quiet verbose dev all-extras upgrade"), short: "qvU"},
		"poetry": {operand: true, more: strings.Fields("run config self"), options: strings.Fields("directory project"), letters: "CP", safe: strings.Fields("no-root no-interaction sync without with only dry-run quiet verbose group dev"), short: "nqvD"},
		"pipenv": {operand: true, more: []string{"run"}},
		"bundle": {operand: true, more: strings.Fields("exec config plugin open console")},
		"conda":  {operand: true, more: strings.Fields("run config")}, "mamba": {operand: true, more: strings.Fields("run config")},
		"micromamba": {operand: true, more: strings.Fields("run config")},
		"pdm":        {operand: true, more: strings.Fields("run config plugin self")},
		"hatch":      {operand: true, more: strings.Fields("run shell config")},
		"pixi":       {operand: true, more: strings.Fields("run exec x shell config global")},
		"rye":        {operand: true, more: strings.Fields("run config self")},
		"mise":       {operand: true, more: strings.Fields("exec x run r config set settings en")},
		"asdf":       {operand: true, more: strings.Fields("exec shell plugin")},
		"rbenv":      {operand: true, more: strings.Fields("exec shell")}, "pyenv": {operand: true, more: strings.Fields("exec shell")},
		"nodenv":   {operand: true, more: strings.Fields("exec shell")},
		"composer": {operand: true, more: strings.Fields("exec run run-script config global x")},
		"ip":       {operand: true, more: strings.Fields("netns vrf"), letters: "bn", options: []string{"batch"}, short: "46sdoh"},
		"bazel":    {operand: true, more: strings.Fields("run mobile-install"), options: []string{"run_under"}},
		"bazelisk": {operand: true, more: strings.Fields("run mobile-install"), options: []string{"run_under"}},
		"zig":      {operand: true, more: strings.Fields("run cc c++ rc")},
		"nim":      {operand: true, more: strings.Fields("r e secret")},
		"crystal":  {operand: true, more: strings.Fields("run eval play i tool")},
		"coverage": {first: strings.Fields("annotate combine erase html json lcov report xml"), more: []string{"run"}, short: "ams", safe: strings.Fields("show-missing skip-covered omit include fail-under")},
		"docker":   containers.Get(), "podman": containers.Get(), "nerdctl": containers.Get(),
		"make": buildTools.Get(), "gmake": buildTools.Get(), "bmake": buildTools.Get(),
		"ninja": {letters: "Cft", short: "jklnvd"},
		"just":  {options: strings.Fields("justfile working-directory shell shell-arg set command chooser"), letters: "fdc", check: noSettings, short: "lnqv", safe: strings.Fields("list dry-run quiet verbose summary show")},
		"cmake": {options: strings.Fields("build install open find-package workflow"), letters: "PEDCS", check: noSettings, short: "G", safe: strings.Fields("Wno-dev fresh version")},
		"tar":   archivers.Get(), "bsdtar": archivers.Get(), "gtar": archivers.Get(),
		"rsync": {options: strings.Fields("rsh rsync-path config daemon"), letters: "eM", check: noColons, short: "avzrltpgoDnhuPiSxHAXcqRm", safe: strings.Fields("archive checksum compress delete dry-run exclude human-readable include itemize-changes progress recursive stats update verbose")},
		"sort":  {options: strings.Fields("compress-program output files0-from temporary-directory"), letters: "oST", short: "nrufbdgiMhkRtVcCmsz", safe: strings.Fields("unique reverse numeric-sort human-numeric-sort version-sort key field-separator stable zero-terminated check ignore-case random-sort")},
		"fd":    finders.Get(), "fdfind": finders.Get(),
		"curl": {options: strings.Fields("config libcurl engine"), letters: "K", short: "sSLfIiGkvXHAmd", safe: strings.Fields("silent show-error location fail fail-with-body head include get insecure verbose request header user-agent max-time connect-timeout retry compressed http1.1 http2 ipv4 ipv6")},
		"wget": {options: strings.Fields("use-askpass config execute"), letters: "e", short: "qS", safe: strings.Fields("quiet spider no-verbose timeout tries")},
		"pytest": {
			letters: "pc", options: strings.Fields("confcutdir rootdir config-file override-ini"), short: "xvqskmnlr",
			safe: strings.Fields(`
			capture collect-only co cov disable-warnings durations exitfirst failed-first ff last-failed lf markers maxfail
			new-first nf no-header quiet setup-show stepwise strict-markers sw tb verbose
			`),
		},
		"gcc": compilers.Get(), "cc": compilers.Get(), "g++": compilers.Get(), "c++": compilers.Get(), "c89": compilers.Get(), "c99": compilers.Get(),
		"clang": compilers.Get(), "clang++": compilers.Get(),
		"gh": {
			operand: true, more: strings.Fields("alias extension ext config codespace cs"), short: "LRslqtbBHadASw",
			safe: strings.Fields("assignee author base body draft fill head jq json label limit repo reviewer search state template title web"),
		},
		"kubectl": {
			operand: true, more: strings.Fields("exec run debug cp config plugin"), options: []string{"kubeconfig"}, short: "nAolwc",
			safe: strings.Fields(`
			all-namespaces container context field-selector follow namespace no-headers output previous selector show-labels since
			sort-by tail timestamps watch
			`),
		},
		"printf": {free: true, letters: "v"},
		"test":   {free: true, letters: "v"},
		"eslint": {letters: "cf", options: strings.Fields("config resolve-plugins-relative-to rulesdir parser format"), safe: strings.Fields("fix fix-dry-run ext cache quiet max-warnings ignore-pattern color no-color report-unused-disable-directives")},
		"jest":   {letters: "c", options: strings.Fields("config globalSetup setupFiles rootDir testEnvironment reporters runner transform"), short: "itowub", safe: strings.Fields("bail ci coverage detectOpenHandles forceExit json maxWorkers onlyChanged passWithNoTests runInBand silent testNamePattern updateSnapshot verbose watch watchAll")},
		"tsc":    {letters: "p", options: strings.Fields("project build plugins"), short: "wv", safe: strings.Fields("noEmit watch strict pretty skipLibCheck incremental listFiles showConfig version")},
	}
}}

var (
	containers = lazy.Value[wildcardRules]{New: func() wildcardRules {
		return wildcardRules{
			first: strings.Fields("ps images logs inspect version info stats top port diff history --version"),
			more:  strings.Fields("run exec create compose build buildx cp context plugin container image service stack"),
			short: "aqslntf", safe: strings.Fields("all filter follow format last no-stream no-trunc quiet since size tail timestamps until"),
		}
	}}
	buildTools = lazy.Value[wildcardRules]{New: func() wildcardRules {
		return wildcardRules{
			options: strings.Fields("eval file makefile directory include-dir environment-overrides"),
			letters: "fCIEe", check: noSettings, short: "jknsBiqwlOdtSrp",
			safe: strings.Fields(`
			always-make debug dry-run jobs just-print keep-going load-average no-print-directory output-sync print-directory
			question quiet silent stop touch trace warn-undefined-variables
		`),
		}
	}}
	archivers = lazy.Value[wildcardRules]{New: func() wildcardRules {
		return wildcardRules{
			options: strings.Fields(`
			use-compress-program to-command checkpoint-action info-script new-volume-script rsh-command rmt-command
			absolute-names directory
		`),
			letters: "IFPC",
			short:   "tvfxczjJpkmahOruAZ",
			safe: strings.Fields(`
			append auto-compress bzip2 create exclude extract file get gzip keep-old-files list no-same-owner preserve-permissions
			strip-components to-stdout totals update verbose wildcards xz zstd
		`),
			check: func(words []string, n int) bool { // tar takes the letters without a dash, too
				return (n > 1 || len(words) < 2 || !strings.ContainsAny(words[1], "IFPC")) && noColons(words, n)
			},
		}
	}}
	compilers = lazy.Value[wildcardRules]{New: func() wildcardRules {
		return wildcardRules{options: strings.Fields("wrapper plugin fplugin specs B config"), safeIf: compiling, check: func(words []string, n int) bool {
			return noAtFiles(words, n) && outputBelow(words, n)
		}}
	}}
	finders = lazy.Value[wildcardRules]{New: func() wildcardRules {
		return wildcardRules{
			options: strings.Fields("exec exec-batch"), letters: "xX", short: "HIuetdgiasL0pEF",
			safe: strings.Fields("absolute-path changed-before changed-within exclude extension fixed-strings follow glob hidden ignore-case max-depth min-depth no-ignore size type"),
		}
	}}
	pips = lazy.Value[wildcardRules]{New: func() wildcardRules {
		return wildcardRules{
			operand: true, more: []string{"config"}, short: "reUqv",
			safe: strings.Fields("dev editable format no-deps outdated pre quiet requirement upgrade user verbose"),
		}
	}}
)

// scriptOptions returns options of package managers, and of the scripts that they run.
func scriptOptions() []string {
	return strings.Fields(`
		all audit ci coverage depth dev filter fix frozen-lockfile if-present ignore-scripts include json legacy-peer-deps long
		no-audit no-fund offline omit only-failures parseable prefer-offline production recursive save save-dev save-exact
		save-optional silent test-name-pattern timeout verbose watch workspace workspaces
	`)
}

// compileOption matches options of compilers that run and load nothing: warnings, code generation
// and names.
var compileOption = lazy.Regexp{Expr: `^-(c|o|S|E|v|g[a-z0-9]*|O[a-z0-9]?|pedantic|ansi|pipe|pthread|static|shared|w|W[a-z][A-Za-z0-9=+-]*|std=[a-z0-9+:]+|m[a-z][A-Za-z0-9=.-]*` +
	`|f(no-)?(PIC|pic|PIE|pie|exceptions|rtti|strict-aliasing|omit-frame-pointer|stack-protector|stack-protector-strong|common|lto|sanitize=[a-z,]+|diagnostics-color(=[a-z]+)?)` +
	`|[DU][A-Za-z_][A-Za-z0-9_]*(=[A-Za-z0-9_.]*)?|[IL][A-Za-z0-9_./-]*|l[A-Za-z0-9_+.-]*|M[MDPGTFQ]*)$`}

func compiling(word string) bool { return compileOption.Get().MatchString(word) }

// noSettings reports whether no word is NAME=value: that sets a variable of a makefile, also SHELL.
func noSettings(words []string, n int) bool {
	return !slices.ContainsFunc(words[n:], func(word string) bool { return !option(word) && strings.Contains(word, "=") })
}

// noColons reports whether no word has a colon: it may be a file of another machine, for which a
// program is started.
func noColons(words []string, n int) bool {
	return !slices.ContainsFunc(words[n:], func(word string) bool { return strings.Contains(word, ":") })
}

// staysBelow reports whether no operand leads out of the folder: everything that is cloned or
// created is below it.
func staysBelow(words []string, n int) bool {
	return !slices.ContainsFunc(words[n:], func(word string) bool {
		return strings.HasPrefix(word, "/") || slices.Contains(strings.Split(word, "/"), "..")
	})
}

// outputBelow reports whether the file that -o names is below the folder, and not hidden.
func outputBelow(words []string, n int) bool {
	for i := n; i < len(words); i++ {
		value, found := strings.CutPrefix(strings.TrimLeft(words[i], "-"), "o")
		if !found || !option(words[i]) {
			continue
		}
		if value == "" && i+1 < len(words) {
			value = words[i+1]
		}
		value = strings.TrimPrefix(value, "=")
		if value == "" || value[0] == '/' || slices.ContainsFunc(strings.Split(value, "/"), func(part string) bool {
			return strings.HasPrefix(part, ".") && part != "."
		}) {
			return false
		}
	}
	return true
}

// noAtFiles reports whether no word is an @file, which contains more words, or an option that
// loads programs or plugins.
func noAtFiles(words []string, n int) bool {
	return !slices.ContainsFunc(words[n:], func(word string) bool {
		return slices.ContainsFunc([]string{"@", "-B", "-fplugin", "-specs", "-load"}, func(lead string) bool {
			return strings.HasPrefix(word, lead)
		})
	})
}

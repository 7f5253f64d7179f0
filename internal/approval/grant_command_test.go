package approval

import (
	"strings"
	"testing"
)

// commandTable: a pattern, and below it lines that it covers (+) and does not (-). "⏎" stands
// for a line end in a line.
const commandTable = "" +
	"git *" + `
+ git
+ git log
+ git log --oneline -5
+ git  log	-p
+ git status -s
+ git diff HEAD~1
+ git show HEAD^
+ git show @~2:main.go
+ git diff main..topic
+ git 'log'
+ "git" log
+ g'i't l\og
+ /usr/bin/git log
+ /bin/git log
+ git --no-pager log
+ git -P log
+ git --no-optional-locks status
+ git add a.go b.go
+ git add ./*.go
+ git add src/*.go
+ git commit -m 'say; $(this) | & > < that'
+ git commit -m "two words"
+ git commit -am 'größer'
+ git log && git status
+ git log || git status
+ git log; git status
+ git log;
+ git log⏎git status
+ git log | git cat-file --batch
+ git log \⏎--oneline
+ git log 2>&1
+ git log >/dev/null
+ git log 2>/dev/null
+ git log > /dev/null 2>&1
+ git log </dev/null
+ git log >&2
+ git checkout -b topic
+ git switch -c topic
+ git push origin main
+ git push --force-with-lease
+ git stash pop
+ git rebase main
+ git rebase -i main
+ git clone https://example.com/x.git
+ git clean -fdx
+ git remote -v
- git -c core.pager=evil log
- git -c alias.x='!evil' x
- git -ccore.pager=evil log
- git "-c" core.pager=evil log
- git \-c core.pager=evil log
- git -'c' core.pager=evil log
- git --exec-path=/tmp/evil log
- git --exec-path /tmp/evil log
- git --exec=/tmp/evil log
- git --config-env=core.pager=X log
- git --git-dir=/tmp/evil log
- git --work-tree=/ clean -fdx
- git --namespace=x log
- git --bare log
- git -C /tmp/evil log
- git -p log
- git --paginate log
- git --no-pager -c core.pager=evil log
- git --no-pager --exec-path=/evil log
- git cherry-pick --strategy=x/y HEAD~1
- git cherry-pick --stra=x/y HEAD~1
- git cherry-pick --strategy x/y HEAD~1
- git rebase -s x/y master
- git rebase --strategy=x/y master
- git pull --rebase -s x/y . master
- git pull --rebase -sx/y . master
- git merge -s x/y master
- git revert --strategy=x HEAD
- git checkout-index -f --prefix=.git/hooks/ pre-commit
- git checkout-index -a
- git clone https://example.com/x.git /home/u/x
- git clone https://example.com/x.git ../x
- git worktree add /home/u/x
- git worktree add ../x
- git init /home/u/x
- git init ..
+ git worktree add side
+ git init sub
- git log --no-such-option
- git --help
- git help log
- git config core.pager evil
- git config --global alias.log '!evil'
- git bisect run evil
- git bisect start
- git submodule foreach evil
- git submodule update
- git filter-branch --tree-filter evil
- git difftool -x evil
- git mergetool
- git send-email x
- git daemon
- git hook run x
- git for-each-repo --config=x evil
- git credential fill
- git maintenance run
- git instaweb
- git unknown
- git evil log
- git !evil
- git log --output=/etc/x
- git log --output /etc/x
- git log --outpu=/etc/x
- git log --o=/etc/x
- git diff --ext-diff
- git diff --ext
- git grep -Oevil x
- git grep -O x
- git grep -nO x
- git grep --open-files-in-pager=evil x
- git grep --open=evil x
- git clone -u evil x
- git clone -c core.x=y x
- git clone --config core.x=y x
- git clone --upload-pack=evil x
- git clone --upload-pack evil x
- git clone --upl evil x
- git clone --template=/evil x
- git clone 'ext::sh -c evil'
- git fetch ext::evil
- git fetch -u x
- git fetch --upload-pack=evil x
- git pull --upload-pack=evil
- git push --receive-pack=evil
- git push --receive=evil
- git push --exec=evil
- git ls-remote --upload-pack=evil x
- git ls-remote --exec=evil x
- git ls-remote -uevil x
- git rebase --exec evil
- git rebase -x evil
- git rebase -ix evil
- git rebase --exe evil
- git archive --remote=x --exec=evil HEAD
- git archive -o /etc/x HEAD
- git archive --output=/etc/x HEAD
- git format-patch -o /etc HEAD
- git apply --unsafe-paths x
- git init --template=/evil
- git init --separate-git-dir=/x
- git add *
- git add *.go
- git add -- *.go
- git add ?
- git add [a-z]*
- git c*
- git l?g
- g?t log
- gi* log
- git log > out
- git log >> out
- git log >| out
- git log &> out
- git log &>/dev/null
- git log 2> out
- git log < in
- git log <> in
- git log > /dev/nullx
- git log > "/dev/null"x
- git log > $OUT
- git log > /dev/null/../../etc/x
- git log >&out
- git log >&3
- git log <<E⏎x⏎E
- git log <<'E'⏎x⏎E
- git log <<<x
- git log &
- git log & rm x
- git log &⏎git log
- git log && git status &
- git log | git log &
- ! git log | git log
- git log⏎# x
- ! git log
- git log; rm x
- git log;rm x
- git log && rm x
- git log || rm x
- git log | rm x
- git log | sh
- git log |& git log
- git log⏎rm x
- rm x; git log
- rm x⏎git log
- cd /tmp && git log
- cd /tmp; git log
- pushd /tmp && git log
- git log | xargs rm
- git log | head
- xargs git log
- xargs -a x git
- echo x | git log
- sh -c 'git log'
- sh -c git\ log
- bash -c 'git log'
- bash -lc 'git log'
- env git log
- env X=1 git log
- X=1 git log
- GIT_PAGER=evil git log
- GIT_SSH_COMMAND=evil git fetch
- PATH=/evil git log
- PATH=/evil; git log
- X=1
- export PATH=/evil; git log
- sudo git log
- doas git log
- nice git log
- nohup git log
- timeout 5 git log
- time git log
- command git log
- builtin git log
- exec git log
- eval git log
- eval 'git log'
- coproc git log
- . git
- source git
- trap 'evil' EXIT; git log
- alias git=rm; git log
- alias git=rm⏎git log
- unalias git; git log
- hash -p /evil git; git log
- enable -f /evil git; git log
- git() { rm x; }; git log
- git() { rm x; }
- function git { rm x; }; git log
- git () ( rm x )
- (git log)
- { git log; }
- if git log; then rm x; fi
- if git log; then git log; fi
- while git log; do git log; done
- for x in a; do git log; done
- case x in x) git log;; esac
- [[ x ]] && git log
- (( x )) && git log
- let x=1; git log
- git log $(rm x)
- git log "$(rm x)"
- git log ` + "`rm x`" + `
- git log "` + "`rm x`" + `"
- git log $X
- git log "$X"
- git log ${X}
- git log ${X:-y}
- git log $((1+1))
- git log $[1+1]
- git log <(rm x)
- git log >(rm x)
- git log $'x'
- git log $"x"
- git log {a,b}
- git log {a..b}
- git log ~/x
- git log ~
- git log =x
- git log # rm x
- # git log
- git log 'x
- git log "x
- git log (
- git log )
- git log &&
- git log | 
- | git log
- && git log
- $(git log)
- ` + "`git log`" + `
- $git log
- "$git" log
- $'git' log
- git\ log
- 'git log'
- gitx log
- git-log
- gi log
- GIT log
- ./git log
- ../git log
- bin/git log
- /tmp/git log
- /usr/local/bin/git log
- /usr/bin/../../tmp/git log
- ~/git log
- it log
- -git log
- 
-  
- ;
- ⏎
` + "git log *" + `
+ git log
+ git log -p
+ git log -c
+ git log --stat main
+ git log && git log -1
+ 'git' "log" x
- git
- git status
- git logs
- git log status; git status
- git -P log
- git --no-pager log
- git -c x=y log
- git -C x log
- git --exec-path=x log
- git log --output=x
- git log --ext-diff
- git log; rm x
- git status log
- git "log status"
- git log* x
- git lo\g; git push
- git push log
` + "git status" + `
+ git status
+ git status; git status
+ git 'status'
+ /usr/bin/git status
+ git status 2>&1
- git status -s
- git
- git status x
- git status .
- git status && git diff
- git status; rm x
- git status $(rm x)
- git status > x
- X=1 git status
` + "git diff && git status" + `
+ git diff && git status
- git diff &&  git status
- git diff
- git status
- git diff && git status; rm x
- git diff && git status && git status
` + "ls *.go" + `
+ ls *.go
- ls a.go
- ls *.go *.c
- ls x*.go
` + "*" + `
+ git log
+ rm -rf x > y & $(z)
+ if
+ *
` + "go test *" + `
+ go test
+ go test ./...
+ go test -race -run 'X|Y' -count=1 ./...
+ go test ./... 2>&1
- go vet
- go
- go test -exec evil
- go test -exec=evil
- go test --exec=evil
- go test --exec evil
- go test "-exec" evil
- go test -toolexec evil
- go test -toolexec=evil ./...
- go test -vettool=evil
- go test -C /tmp
- go test -overlay=x
- go test -ldflags=-extld=evil
- go test -modfile=/tmp/x
- go test; go run x
- go run x test
- GOFLAGS=-exec=evil go test
- go test ./... | tail
` + "go *" + `
+ go build ./...
+ go vet ./...
+ go version
+ go mod tidy
- go run ./x
- go run example.com/evil@latest
- go generate ./...
- go tool compile
- go env -w CC=evil
- go install example.com/evil@latest
- go -C /tmp test
- go build -toolexec=evil
- go vet -vettool=evil
- go evil
` + "go run ./cmd/x *" + `
+ go run ./cmd/x
+ go run ./cmd/x a b
- go run ./cmd/y
- go run -exec=evil ./cmd/x
- go run ./cmd/xy
` + "make *" + `
+ make
+ make all
+ make -j4 test
+ make -k
- make -f /tmp/evil
- make -f/tmp/evil
- make -kf x
- make --file=x
- make --makefile x
- make --makef x
- make -C /tmp
- make --directory=/tmp
- make --dir /tmp
- make --eval=x
- make --eval 'x:;evil'
- make SHELL=/evil
- make all CC=evil
- make 'CC=evil' all
- make C\C=evil
- make *
- make a*
- make -e
- make -I /x
- cd /tmp && make
- MAKEFLAGS=x make
` + "npm run *" + `
+ npm run
+ npm run build
+ npm run test -- --watch
- npm install
- npm run x --script-shell=evil
- npm run x --script-s evil
- npm run x --prefix /tmp
- npm run x --node-options=evil
- npm exec x
- npm x
- npx x
` + "npm *" + `
+ npm test
+ npm ci
+ npm install --save-dev x
- npm ci --globalconfig=x
- npm install --no-such-option
+ npm run lint
- npm exec evil
- npm x evil
- npm config set script-shell evil
- npm --prefix /tmp test
- npm set x y
- npm create evil
- npm -C x test
` + "cargo *" + `
+ cargo build --release
+ cargo test name
+ cargo clippy
- cargo +evil build
- cargo --config x build
- cargo build --config build.rustc=evil
- cargo build --conf x
- cargo build --manifest-path /tmp/x
- cargo evil
- cargo run
- cargo install evil
- cargo -Z x build
` + "python3 script.py *" + `
+ python3 script.py
- python3 script.py -c x
+ python3 script.py a b
- python3
- python3 other.py
- python3 -c evil
- python3 -c evil script.py
- python3 -i script.py
- python script.py
- python3 ./script.py
` + "python3 -m pytest *" + `
+ python3 -m pytest
+ python3 -m pytest -x tests
- python3 -m pip install x
- python3 -m pytest -p evil
- python3 -c pytest
- python3 -mpytest
` + "uv run pytest *" + `
+ uv run pytest -x
- uv run python x
- uv run --with evil pytest
- uv run pytest -p evil
` + "npx eslint *" + `
+ npx eslint src
- npx evil
- npx -p evil eslint
- npx eslint -c /tmp/evil.js
` + "bash build.sh *" + `
+ bash build.sh
+ bash build.sh all
- bash
- bash -c evil
- bash -x build.sh
- bash other.sh
- bash ./build.sh
- sh build.sh
` + "./build.sh *" + `
+ ./build.sh
+ ./build.sh all
- ./build.sh all -v
- ./build.sh --shell=evil
- build.sh
- ../build.sh
- ./../build.sh
- /build.sh
- ./build.sh; rm x
- ./build.shx
` + "find *" + `
+ find . -name x
+ find . -name '*.go' -type f
- find . -exec rm {} \;
- find . -execdir rm {} +
- find . -ok rm {} \;
- find . -delete
- find . -fprint /etc/x
- find . -fprintf /etc/x y
- find *
` + "rg *" + `
+ rg x
+ rg -n x src
- rg --pre evil x
- rg --pre=evil x
- rg --hostname-bin=evil x
- rg -z x
- rg --search-zip x
` + "uniq a *" + `
+ uniq a
- uniq a b
` + "sort *" + `
+ sort x
+ sort -n -r x
- sort -o /etc/x y
- sort -no /etc/x y
- sort --output=/etc/x y
- sort --compress-program=evil x
- sort --comp evil x
` + "tar *" + `
+ tar xzf x.tgz
+ tar -tf x.tar
+ tar --list -f x.tar
- tar xIf evil x
- tar -I evil -xf x
- tar -xf x -I evil
- tar --use-compress-program=evil -xf x
- tar --use=evil -xf x
- tar --to-command=evil -xf x
- tar --checkpoint=1 --checkpoint-action=exec=evil -cf x y
- tar --checkpoint-act=exec=evil -cf x y
- tar -F evil -cf x y
- tar --rsh-command=evil -cf h:x y
- tar -cf host:x y
- tar -xPf x
- tar -C / -xf x
` + "rsync *" + `
+ rsync -a x y
- rsync -e evil x y
- rsync -ae evil x y
- rsync --rsh=evil x y
- rsync --rsync-path=evil x y
- rsync x host:y
` + "docker ps *" + `
+ docker ps -a
- docker run x
- docker -H x ps
- docker exec x y
` + "docker *" + `
+ docker ps
+ docker logs web
- docker run -v /:/h x
- docker exec web evil
- docker compose up
- docker build .
` + "printf *" + `
+ printf '%s\n' x
- printf -v PATH x
` + "test *" + `
+ test -f x
- test -v 'a[$(evil)]'
` + "git diff HEAD~1 *" + `
+ git diff HEAD~1 --stat
- git diff HEAD~2 --stat
- git diff HEAD~1 --ext-diff
` + "git bisect run make *" + `
+ git bisect run make test
- git bisect run make SHELL=evil
- git bisect run evil
- git bisect run
` + "git bisect start *" + `
+ git bisect start main
- git bisect start run
- git bisect run evil
` + "git submodule foreach git *" + `
+ git submodule foreach git status
- git submodule foreach git -c x=evil status
- git submodule foreach evil
` + "docker run alpine *" + `
+ docker run alpine ls /
- docker run -v /:/h alpine
- docker run other
` + "cd *" + `
+ cd src
+ cd
- cd src; cd x
- cd src && ls
` + "gcc *" + `
+ gcc -c x.c -o x.o
- gcc -wrapper evil x.c
- gcc -B/evil x.c
- gcc -fplugin=evil x.c
- gcc @evil
- gcc -specs=evil x.c
+ gcc -Wall -O2 -g -Iinclude -DX=1 -std=c11 -c x.c
- gcc x.c -Wl,-plugin,./e.so
- gcc -Wa,x x.c
- gcc -Xlinker -plugin x.c
- gcc -fuse-ld=/w/e x.c
- gcc -o /home/u/.bashrc x.c
- gcc -o/home/u/x x.c
- gcc -o .git/hooks/pre-commit x.c
` + "tool *" + `
+ tool
+ tool x y
- tool -x y
- tool x --z=1
- tool +x
- tool @x
- tool SHELL=x
- tool run x
- tool x exec y
+ tool src/*
- tool a*
- tool *
- tool -*
- tool [a-z]
- tool --exec evil
- tool --exec=evil
- tool -exec evil
- tool --command=evil
- tool --shell=evil
- tool --pager evil
- tool --eval x
- /opt/tool x
- tool x y > z
- too l
` + "tool a b *" + `
+ tool a b
+ tool a b c
- tool a
- tool a c b
- tool "a b"
- tool 'a b' c
- tool ab
- tool b a
` + `tool 'a b' \* *` + `
+ tool 'a b' '*' c
+ tool a\ b "*"
- tool 'a b' c
- tool a b '*'
- tool 'a b' *
` + "tool **" + `
+ tool
+ tool -x y --shell=z
+ tool *.go
+ tool x && tool -y
- tool x > y
- tool $(x)
- tools
` + "env **" + `
+ env X=1 git log
- env > x
` + "split *" + `
+ split x
- split --filter=./x f
` + "install *" + `
+ install a b
- install -s --strip-program=./x f g
` + "c++ *" + `
+ c++ -c a.c
- c++ -wrapper sh,-c,./x a.c
` + "clang++ *" + `
- clang++ -wrapper sh a.c
- clang++ --ld-path=./e a.c
` + "clang *" + `
- clang --ld-path=./e a.c
- clang -fuse-ld=/w/e a.c
- clang -fpass-plugin=./e.so a.c
- clang -Xclang -load a.c
` + "gcc-12 *" + `
+ gcc-12 -c a.c
- gcc-12 -wrapper sh a.c
- gcc-12 -fplugin=./e.so a.c
- gcc-12 @x
` + "x86_64-linux-gnu-gcc *" + `
+ x86_64-linux-gnu-gcc -c a.c
- x86_64-linux-gnu-gcc -wrapper sh a.c
- x86_64-linux-gnu-gcc -fplugin=./e.so a.c
` + "x86_64-linux-gnu-gcc-12 *" + `
- x86_64-linux-gnu-gcc-12 @x
` + "go1.22 *" + `
+ go1.22 vet ./...
- go1.22 run ./x
- go1.22 generate
` + "go build *" + `
+ go build ./...
- go build -o /home/u/.bashrc
- go build -o=/x ./y
- go build --o=/x ./y
- go build -o .git/hooks/pre-commit
- go build -o ../x
- go build -o
+ go build -o bin/x ./y
` + "go test -c *" + `
+ go test -c ./x
- go test -c -o /home/u/x
` + "gh repo clone *" + `
+ gh repo clone a/b
- gh repo clone a/b -- -c core.fsmonitor=id
` + "hg status *" + `
+ hg status
+ hg status src
- hg status --config hooks.pre-status=id
- hg status --config=hooks.pre-status=id
` + "svn *" + `
+ svn status
- svn diff --diff-cmd ./x
- svn --config-option config:tunnels:x=id ls
` + "jj *" + `
- jj --config=ui.pager=./x log
` + "bundle install *" + `
+ bundle install
- bundle exec ./x
` + "bundle exec rake *" + `
+ bundle exec rake test
- bundle exec rake -e x
- bundle exec x
` + "coverage *" + `
+ coverage report
- coverage run x.py
` + "composer install *" + `
+ composer install
- composer exec x
` + "ip addr *" + `
+ ip addr show
- ip netns exec x sh
` + "bazel build *" + `
+ bazel build //...
- bazel run x
- bazel build --run_under=./x
` + "zig build *" + `
+ zig build
- zig run x.zig
` + "rake *" + `
+ rake test
- rake -e x
- rake X=1
` + "tcpdump *" + `
- tcpdump -z ./x
` + "fzf *" + `
- fzf --preview ./x
` + "helm template *" + `
+ helm template chart
- helm template --post-renderer ./x
` + "dpkg *" + `
- dpkg --pre-invoke=./x -i y
` + "apt-get install *" + `
+ apt-get install make
- apt-get install -o DPkg::Pre-Invoke::=./x make
- apt-get install -oDPkg::Pre-Invoke::=./x make
` + "gpg *" + `
- gpg --photo-viewer ./x
` + "ssh-keygen *" + `
- ssh-keygen -D ./x.so
` + "pylint *" + `
+ pylint src
- pylint --init-hook=x src
` + "mypy *" + `
- mypy --config-file x
` + "flake8 *" + `
- flake8 --config x
` + "vite *" + `
- vite --config x
- vite -c x
` + "vitest *" + `
- vitest --config x
` + "prettier *" + `
+ prettier src
- prettier --config x
` + "stylelint *" + `
- stylelint --config x
` + "webpack *" + `
- webpack --config x
- webpack -c x
` + "tox *" + `
- tox -c x
` + "nox *" + `
- nox -f x
` + "mocha *" + `
- mocha -r ./x
- mocha --require ./x
` + "bun test *" + `
+ bun test
- bun test --preload ./x
` + "ctest *" + `
- ctest -S x
` + "pandoc *" + `
+ pandoc a.md
- pandoc --filter ./x a.md
- pandoc --lua-filter=./x a.md
` + "pdflatex *" + `
+ pdflatex a.tex
- pdflatex --shell-escape a.tex
- pdflatex -shell-escape a.tex
` + "latexmk *" + `
- latexmk -e x
` + "clang-tidy *" + `
- clang-tidy --load=x a.c
` + "opt *" + `
- opt -load x
- opt -load=x
` + "cp *" + `
+ cp -r a b
` + "mkdir *" + `
+ mkdir -p a/b
` + "ls *" + `
+ ls -la --color src
`

func TestCommandPatterns(t *testing.T) {
	rows, patterns := 0, 0
	var g GrantSet
	for text := range strings.Lines(commandTable) {
		text = strings.TrimSuffix(text, "\n")
		mark, line, row := strings.Cut(text, " ")
		if !row || mark != "+" && mark != "-" {
			patterns++
			g = GrantSet{}
			give(t, &g, Target{Kind: TargetCommand, Pattern: text}, Execute)
			continue
		}
		rows++
		line = strings.ReplaceAll(line, "⏎", "\n")
		r := Request{Tool: "shell", Level: Execute, Command: line, Dir: "/w"}
		if got := g.Covers(r); got != (mark == "+") {
			t.Errorf("%s covers %q: %t", g.List()[0].Target, line, got)
		}
	}
	if rows < 400 {
		t.Errorf("%d rows were read of %d patterns", rows, patterns)
	}
}

func give(t interface{ Fatal(...any) }, g *GrantSet, target Target, level Level) Grant {
	grant, err := g.AddGrant(Grant{Target: target, Level: level, Scope: Session})
	if err != nil {
		t.Fatal(err)
	}
	return grant
}

// TestUnclearText: what shells read in different ways is not covered.
func TestUnclearText(t *testing.T) {
	var g GrantSet
	give(t, &g, Target{Kind: TargetCommand, Pattern: "git *"}, Execute)
	for _, line := range []string{"git log\r", "git log\rx", "git log \x00", "git log '\x01'", "git log \x7f", "git log '\xff'", `git log "\é"`, `git log '\' é`} {
		if g.Covers(running(line, "/w")) {
			t.Errorf("%q is covered", line)
		}
	}
}

// TestCommandsOfSeveralGrants: a line may need more than one.
func TestCommandsOfSeveralGrants(t *testing.T) {
	var g GrantSet
	for _, pattern := range []string{"git *", "head *", "cd *", "export A=1", "*x"} {
		give(t, &g, Target{Kind: TargetCommand, Pattern: pattern}, Execute)
	}
	for line, want := range map[string]bool{
		"git log | head -5":                true,
		"git log | head -5 && head x":      true,
		"git log | tail":                   false,
		"head x > y; git log":              false,
		"cd src":                           true,
		"cd src && git log":                false,
		"git log; cd src":                  false,
		"export A=1":                       true,
		"export A=1; git log":              false,
		"git log | head -5 | sh":           false,
		"*x":                               true,
		"yx":                               false,
		"git log | xargs git push":         false,
		"head -5 <(git log)":               false,
		"git log | (head)":                 false,
		"git log | while head; do :; done": false,
	} {
		if got := g.Covers(Request{Tool: "shell", Level: Execute, Command: line, Dir: "/w"}); got != want {
			t.Errorf("%q is covered: %t", line, got)
		}
	}
}

// refusedPatterns would be for any command at all, or for none.
var refusedPatterns = strings.Fields(`
	sh_* bash_* /bin/bash_* /opt/bash_* BASH_* bash_-c_* bash_-x_* zsh_* env_* env_X=1_git_* xargs_* xargs_git_* sudo_* sudo_git_*
	nice_* nohup_git_* timeout_5_git_* command_* builtin_* exec_* eval_* source_* ._* alias_* sed_* sed_-n_*
	python_* python3_* python3.12_* /usr/local/bin/python3_* python3_-u_* python3_-W_ignore_* python3_-c_* python3_-m_*
	node_* perl_* perl_-e_* ruby_* php_* awk_* gawk_* ssh_* ssh_host_* vim_* less_* man_* npx_* npx_-p_x_* uvx_*
	uv_* uv_run_* uv_run_python_* poetry_run_* poetry_run_python_* poetry_run_sh_* docker_run_* docker_run_-it_*
	docker_exec_* docker_exec_-it_* npm_exec_* npm_exec_node_* pnpm_* pnpm_exec_* yarn_dlx_* go_run_* go_tool_*
	git_-c_x=y_* git_-C_x_* git_--exec-path=x_* git_config_* git_bisect_* git_submodule_* git_bisect_run_* git_bisect_run_sh_* git_submodule_foreach_* git_submodule_foreach_--recursive_* docker_compose_exec_* git_--no-pager_config_*
	kubectl_* kubectl_exec_* gh_* gh_alias_* find_._-exec_rm_* rg_--pre_x_* mvn_* gradle_* sqlite3_* psql_*
	watch_* parallel_* tmux_* nix_* busybox_* deno_* bun_* dotnet_* java_* java_-jar_*
	tclsh8.6_* perl5.36-i686-linux-gnu_* perl5.36-i686-linux-gnu_-e_* python3-dbg_* python3-dbg_-c_* nodejs18_* nodejs18_-e_*
	rbash_* rbash_-c_* yash_* posh_-c_* nu_* xonsh_* elvish_-c_* osh_* ipython_* ipython_-c_* go1.22_run_*
	prlimit_* numactl_* chronic_* hyperfine_* coverage_run_* bundle_exec_* conda_run_* conda_* pdm_run_* hatch_run_* pixi_run_*
	mise_exec_* asdf_exec_* rbenv_exec_* composer_exec_* ip_netns_exec_* ip_netns_* bazel_run_* bazel_* zig_run_* nim_r_* nim_*
	crystal_eval_* logrotate_* python3_-m_timeit_* python3_-m_pdb_* python3_-m_trace_* python3_-m_cProfile_* python3.12_-m_timeit_*
	aarch64-linux-gnu-gdb_* gdb-12_* env-2_*
`)

func TestRefusedPatterns(t *testing.T) {
	for _, text := range refusedPatterns {
		pattern := strings.ReplaceAll(text, "_", " ")
		err := Target{Kind: TargetCommand, Pattern: pattern}.Validate()
		if err == nil || !strings.Contains(err.Error(), "far more than it says") {
			t.Errorf("%q: %v", pattern, err)
		}
		// It cannot be added; should it come from elsewhere, it covers nothing.
		p := readPattern(pattern)
		for _, more := range []string{"", " x", " -c x"} {
			line := strings.TrimSuffix(pattern, " *") + more
			if args, ok := plainCommands(line); ok && p.covers(args[0]) {
				t.Errorf("%q covers %q", pattern, line)
			}
		}
	}
	for _, pattern := range []string{"", " ", strings.Repeat("x ", maxLine), "time *", "export *", "X=1 git *", "git log | git *", "git log > x *", "$x *", "a* *", "(git *", "! git *", "git & git *"} {
		if (Target{Kind: TargetCommand, Pattern: pattern}).Validate() == nil {
			t.Errorf("%.10q is a pattern", pattern)
		}
	}
}

func BenchmarkCovers(b *testing.B) {
	var g GrantSet
	for _, pattern := range []string{"go test *", "go build *", "make *", "ls *", "npm run *", "cargo *", "git *"} {
		give(b, &g, Target{Kind: TargetCommand, Pattern: pattern}, Execute)
	}
	for range 100 {
		give(b, &g, Target{Kind: TargetLine, Command: strings.Repeat("x", len(g.all)+1), Dir: "/w"}, Execute)
	}
	r := running("git log --oneline | git cat-file --batch && go test ./...", "/w")
	for b.Loop() {
		if !g.Covers(r) {
			b.Fatal("not covered")
		}
	}
}

package approval

import (
	"slices"
	"strings"
	"testing"
)

// trustedLines and untrustedLines hold one command a line; "⏎" stands for a line end in it.
const trustedLines = `
ls
ls -la
ls -la /etc
ls *.go
ls -- -x
ls src/**/*.go
ls [a-z]?.txt
ls file\ name
ls 'file name' "other name"
ls ./x ../y /z
ls x=y
ls a@b a+b a%b a:b a,b
l's'
"ls"
l\s
/bin/ls
/usr/bin/ls
pwd
cd src
cd src && ls
cd "my folder"; ls
cd ..
whoami
id
id -u
uname -a
which go
stat README.md
stat -c %s README.md
true
false
true || false
echo
echo hello world
echo "hello; world" '> x' '$(rm x)'
echo 'it costs $5'
echo "it costs \$5"
echo "a \"quoted\" word"
echo "tick \` + "`" + ` tock"
echo a\;b
echo \$HOME
echo \>x
echo \#
echo 'a` + "`" + `b'
echo "a>b" 'a|b' "a&b"
echo "größer" 'naïve'
echo -e "a\nb"
cat README.md
cat -n a b c
cat *
cat -
cat /etc/passwd
head -5 x
head -n 20 x
head -c 100 x
tail -n +5 x
tail -f log
nl x
tac x
wc -l *.go
wc --files0-from=list
cut -d: -f1 x
cut -d ' ' -f 2 x
tr a-z A-Z
tr -d '\n'
tr '[:upper:]' '[:lower:]'
rev x
paste -sd, x
paste a b
seq 10
seq 1 2 9
expr 1 + 2
expr 2 '*' 3
expr 2 \* 3
numfmt --to=iec 1000000
uniq
uniq -c
uniq x
uniq -c x
uniq -f 1
uniq -f 1 x
uniq -w 10 -s 2 x
uniq -
uniq -- x
uniq --count --repeated
grep foo
grep -rn foo .
grep -rn "foo bar" src
grep -E "^(a|b)$" x
grep "end$" x
grep 'a\|b' x
grep a\\.b x
grep -v '^#' x
grep foo *.go
grep -c -- --x y
grep -f patterns x
grep foo x | grep -v bar | head -3
cat x | grep y
cat x|grep y|wc -l
ls;pwd
ls ; pwd ;
ls && pwd || echo no
ls⏎pwd
ls⏎⏎pwd⏎
ls &&⏎pwd
ls |⏎head
ls \⏎-l
echo "two⏎lines"
find
find .
find . -name x
find . -name '*.go'
find . -name "*.go" -o -name '*.mod'
find . -name \*.go
find . -type f -print0
find . \( -name a -o -name b \) -prune
find . ! -name x
find . -not -name x
find . -maxdepth 2 -mindepth 1
find . -mtime -7 -size +10k
find . -size -10k -mmin -30
find . -perm -644
find . -perm -u+x
find . -perm -u+x,g+w
find . -newer x
find . -newermt 2024-01-01
find . -printf '%p\n'
find . -iname x -ls
find -L . -empty
find -O3 . -path './a/*'
find / -xdev -user root -links +1
find . -samefile x -quit
find . -regextype posix-extended -regex '.*x'
rg foo
rg -n foo src
rg -nU foo
rg -e foo -e bar
rg -ezoo
rg -gz
rg -g 'z*' foo
rg -tzig foo
rg -A3 -B 2 foo
rg -C2z foo
rg --pretty foo
rg --files
rg --files -g '*.go'
rg --no-config foo
rg --hidden --no-ignore foo
rg --help
rg -l foo -- src
rg foo | wc -l
sed -n 1p
sed -n 1p x
sed -n 1,5p x
sed -n '10,20p' x
sed -n "3p" x
cat x | sed -n 1,5p
base64
base64 x
base64 -d x
base64 -d
base64 -D x
base64 -w 0 x
base64 -w0 x
base64 --wrap=76 x
base64 --decode x
base64 -- x
bash -c 'ls'
bash -c ls
bash -lc 'ls -la'
sh -c "ls && pwd"
sh -lc ls
zsh -c 'cat x | head -5'
zsh -lc ls
/bin/bash -lc ls
/usr/bin/zsh -c ls
bash -c 'echo "a b" '\''c d'\'''
bash -c "find . -name '*.go'"
bash -c 'ls⏎pwd'
bash -c 'ls' && sh -c pwd
ls | bash -c 'cat'
`

const untrustedLines = `
⏎
''
""
'
"
ls '
ls "
ls \
ls )
ls |
ls &&
| ls
&& ls
rm x
rm -rf /
LS
lsx
sl
git status
git log
git diff
make
go test ./...
python -c 'print(1)'
node -e 1
perl -e 1
awk 1 x
sort x
sort -o y x
tee x
xargs rm
env
env ls
printenv
date
hostname
less x
more x
man ls
vi x
dd if=a of=b
cp a b
mv a b
ln -s a b
touch x
mkdir x
chmod +x x
curl https://example.com
wget x
ssh host
sudo ls
su -c ls
nohup ls
time ls
timeout 5 ls
nice ls
watch ls
command ls
builtin echo
exec ls
eval ls
source x
. x
export X=1
declare -x X
unset PATH
alias ls=rm
trap ls EXIT
set -x
shopt -s extglob
test -f x
[ -f x ]
[[ -f x ]]
printf x
read x
type ls
printf '%s' x
ls > x
ls >> x
ls >| x
ls >&2
ls 2>&1
ls 2>/dev/null
ls &> x
ls > /dev/null
cat < x
cat <> x
cat <<E⏎x⏎E
cat <<'E'⏎x⏎E
cat <<< x
cat <(ls)
ls >(cat)
echo $HOME
echo "$HOME"
echo ${HOME}
echo "${x:-y}"
echo $(ls)
echo "$(ls)"
echo ` + "`ls`" + `
echo "` + "`ls`" + `"
echo $((1+1))
echo $[1+1]
echo $
echo a$
echo "a$ b"
echo "$"$HOME
echo $'a\nb'
echo $"hi"
echo "$'x'"
cat $x
$x
$(ls)
` + "`ls`" + `
X=1 ls
X=1
PATH=/tmp ls
LD_PRELOAD=x ls
X+=1 ls
a[1]=x ls
ls &
ls & pwd
ls &⏎pwd
ls |& cat
! ls
ls && ! pwd
!
(ls)
{ ls; }
( ls ) && pwd
ls && (pwd)
if true; then ls; fi
while true; do ls; done
for x in a b; do ls; done
for x in a; do echo; done
case x in x) ls;; esac
f() { ls; }; f
function ls { rm x; }
coproc ls
ls; rm x
ls && rm x
ls || rm x
ls | rm x
rm x; ls
ls | xargs rm
ls⏎rm x
ls \⏎; rm x
cat x | sh
cat x | bash
ls |⏎rm x
ls # comment
# comment
# comment⏎ls
ls⏎# comment
ls && # comment⏎pwd
ls #
ls a#b
ls ~
ls ~root
ls x:~/y
ls ~/x
ls {a,b}
ls {1..3}
ls {}
ls a{b
{ls,-l}
ls ^x
ls x^y
ls =ls
ls @(a|b)
ls !(a)
ls ?(a)
ls *(a)
ls !x
ls größe
größe
*
ls* x
/bin/l?
[l]s
./ls
../bin/ls
bin/ls
/tmp/ls
/usr/local/bin/ls
/opt/bin/ls
/sbin/ls
/bin/../tmp/ls
/bin//ls
/usr/bin/../../tmp/ls
/usr/bin/env ls
/bin/rm x
/BIN/ls
/bin/
/
~/ls
find . -exec rm {} +
find . -exec rm '{}' \;
find . -execdir ls ';'
find . -ok rm x ';'
find . -okdir rm x ';'
find . -delete
find . -fls x
find . -fprint x
find . -fprint0 x
find . -fprintf x %p
find . '-exec' ls ';'
find . "-delete"
find . -del'ete'
find . -\delete
find . -name -exec
find . -rm
find . -unknown
find -files0-from x
find . -name *.go
find *
find . -D exec
find . -exec=x
find . -newerxy z
bash -c 'find . -delete'
rg --pre cat foo
rg --pre=cat foo
rg --pr=cat foo
rg --p cat foo
rg --pre-glob '*' foo
rg --hostname-bin x foo
rg --hostname-bin=x foo
rg --hostname foo
rg --search-zip foo
rg --search foo
rg -z foo
rg -nz foo
rg -zn foo
rg -Unz foo
rg '-z' foo
rg foo -z
rg -- -z
rg -e -- --pre=cat foo
rg -- --pre=cat
rg foo *
rg -g *.go foo
sed x
sed p x
sed -n p x
sed -n '$p' x
sed -n '1,$p' x
sed -n '/x/p' x
sed -n '1p;2p' x
sed -n 1p x y
sed -n 1p -i
sed -n 1p -i x
sed -n -i 1p x
sed -i 1p x
sed -i.bak -n 1p x
sed -ni 1p x
sed -n -e 1p x
sed -n 1,5w x
sed -n '1,5p w x' y
sed -n 1e x
sed -n '1p⏎w x'
sed -n 1,p x
sed -n ,5p x
sed -n 1~2p x
sed -n 1p '' y
sed -n 1p --in-place
sed -n 1p *
sed -n *
sed -n
sed 1p x
sed 1d x
sed --quiet 1p x
sed s/a/b/ x
sed -f x y
base64 -o out x
base64 -oout x
base64 -do out x
base64 --output out x
base64 --output=out x
base64 --out=out x
base64 --o out
base64 -w 0 -o out
base64 -w -- -o out
base64 in out
base64 -- in out
base64 -d in out
base64 -i in -o out
base64 *
base64 -x
uniq a b
uniq -c a b
uniq a -c
uniq -- a b
uniq a -- b
uniq - b
uniq -f 1 a b
uniq -f x b
uniq -df 1 b
uniq a -f 1
uniq +1 b
uniq *
uniq '' b
uniq -w 1 2 b
bash
bash x
bash -c
bash -c 'rm x'
bash -c "rm x"
bash -c 'ls' x
bash -c ls -- x
bash -cl ls
bash -ec ls
bash -l -c ls
bash -ic ls
bash --login -c ls
bash -c '$0' ls
bash -c "ls > x"
bash -c 'ls; rm x'
bash -c 'bash -c ls'
bash -c "sh -c 'ls'"
bash -c 'bash -c "rm x"'
bash -lc 'zsh -lc ls'
bash -c ''
bash -c ' '
bash -c *
bash -c $x
bash -c "$x"
bash -c "ls $x"
bash -c "$(ls)"
bash -c 'echo $x'
bash -c -c
bash --rcfile x -c ls
bash -O extglob -c ls
bash *
sh x
sh -s
sh -ic ls
zsh -fc ls
dash -c ls
ksh -c ls
fish -c ls
env bash -c ls
/tmp/bash -c ls
./bash -c ls
/usr/local/bin/bash -c ls
busybox ls
bash -c "echo 'größe' \\"
echo "größe\n"
echo größe\
let x=1
((x=1))
echo x > 'y'
echo x>y
echo "a" >"b"
echo 'a' 'b'>c
select x in a; do ls; done
until true; do ls; done
ls;;
ls ;&
ls; ; ls
`

func lines(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" {
			all = append(all, strings.ReplaceAll(line, "⏎", "\n"))
		}
	}
	return all
}

func TestTrusted(t *testing.T) {
	for _, line := range lines(trustedLines) {
		if !Trusted(line) {
			t.Errorf("%q is not trusted", line)
		}
	}
	for _, line := range lines(untrustedLines) {
		if Trusted(line) {
			t.Errorf("%q is trusted", line)
		}
	}
	for _, line := range []string{
		"", " ", "\t", "\n", "ls\r", "ls\r\npwd", "ls \\\r\nrm x", "ls\x00", "ls '\x00'", "ls \x1b[0m", "ls '\x7f'",
		"ls '\xff'", "ls \xc3", "ls\u00a0x", "ls\u2028rm", "ls\vx", "ls\fx", "ls \"ä\\`rm x\\`\"",
		strings.Repeat("ls;", maxLine), strings.Repeat("(", 200_000), "ls " + strings.Repeat("a[", 60_000),
	} {
		if Trusted(line) {
			t.Errorf("%.50q is trusted", line)
		}
	}
}

// TestTrustedPrograms: each program on the list, and no other, is trusted by name and in the
// folders of the system.
func TestTrustedPrograms(t *testing.T) {
	names := strings.Fields(`base64 cat cd cut echo expr false find grep head id ls nl numfmt paste pwd rev rg
		seq stat tac tail tr true uname uniq wc which whoami`)
	for _, name := range names {
		for _, dir := range []string{"", "/bin/", "/usr/bin/"} {
			if !Trusted(dir+name) || !Trusted("bash -c "+dir+name) {
				t.Errorf("%s is not trusted", dir+name)
			}
		}
		for _, dir := range []string{"./", "/usr/local/bin/", "/tmp/", "bin/"} {
			if Trusted(dir + name) {
				t.Errorf("%s is trusted", dir+name)
			}
		}
	}
	if want := append(names, "sed"); len(trustedPrograms.Get()) != len(want) {
		t.Errorf("%d programs are on the list, want %d", len(trustedPrograms.Get()), len(want))
	}
}

// outsideQuotes returns what of a shell line is not between single quotes and not after a
// backslash, found without the parser; double quotes take the meaning from all but "$" and "`".
func outsideQuotes(line string) string {
	var b strings.Builder
	var double bool
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\':
			i++
		case c == '"':
			double = !double
		case double:
			if c == '$' && i+1 < len(line) && line[i+1] == '"' {
				continue // the end of a regular expression
			}
			if c == '$' || c == '`' {
				b.WriteByte(c)
			}
		case c == '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return b.String() + "'"
			}
			i += end + 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// FuzzTrusted: in a trusted line nothing that could expand, redirect or group is unquoted,
// and the first word of whatever stands between the joints is on the list.
func FuzzTrusted(f *testing.F) {
	for _, text := range []string{trustedLines, untrustedLines} {
		for _, line := range lines(text) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line string) {
		if !Trusted(line) {
			return
		}
		bare := outsideQuotes(line)
		if i := strings.IndexAny(bare, "<>$`(){}~#^'\x00\r"); i >= 0 {
			t.Errorf("%q is trusted with an unquoted %q", line, bare[i])
		}
		if strings.Contains(strings.ReplaceAll(bare, "&&", ""), "&") || strings.Contains(bare, "|&") {
			t.Errorf("%q is trusted with a single &", line)
		}
		commands, err := simpleCommands(line)
		if err != nil || len(commands) == 0 {
			t.Errorf("%q is trusted with %q, %v", line, commands, err)
		}
		for _, command := range commands {
			name, _, _ := strings.Cut(command, " ")
			name = programName(name)
			if _, ok := trustedPrograms.Get()[name]; !ok && !slices.Contains(shells, name) {
				t.Errorf("%q is trusted with %q", line, command)
			}
			for _, bad := range []string{" -exec", " -delete", " -ok", " -fprint", " -fls", " --pre=", " --pre "} {
				if (name == "find" || name == "rg") && strings.Contains(command+" ", bad) && !strings.ContainsAny(line, `'"\`) {
					t.Errorf("%q is trusted with %q", line, bad)
				}
			}
		}
	})
}

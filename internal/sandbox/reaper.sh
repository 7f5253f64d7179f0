# Kills the processes that its parent started, if the parent ends without saying so.
#
# stdin: "+ GROUP" when a process group starts, "- GROUP" when it has ended, "p PATH" when a
# placeholder was made, "r PATH" when it was removed, "." before the parent ends regularly. If the
# input ends without ".", the parent was killed.
# $1: the mark in the environment of every process that the parent started, which is also part of
# the names of its temporary folders. $2, $3: where those are.
trap '' HUP INT TERM
groups=' '
newline='
'
paths=$newline
while read -r what which; do
	case $what in
	+) groups="$groups$which " ;;
	-) groups="${groups%% $which *} ${groups#* $which }" ;;
	p) paths="$paths$which$newline" ;;
	r) paths="${paths%%"$newline$which$newline"*}$newline${paths#*"$newline$which$newline"}" ;;
	.) exit 0 ;;
	esac
done
# Removes the empty files and folders of paths.
remove_placeholders() {
	set -f # a path may contain any characters
	IFS=$newline
	for path in $paths $paths; do # one may be in another
		if [ -L "$path" ]; then
			continue
		elif [ -d "$path" ]; then
			rmdir -- "$path"
		elif [ -f "$path" ] && [ ! -s "$path" ]; then
			rm -f -- "$path"
		fi
	done
}
for group in $groups; do
	kill -s KILL -- "-$group"
done
rm -rf -- "$2"/parley-*-"$1"-* "$3"/parley-*-"$1"-*
trap 'rm -rf -- "$2"/parley-*-"$1"-* "$3"/parley-*-"$1"-*; remove_placeholders' EXIT # what those outside of the groups have made meanwhile
# Processes outside of the groups. Several rounds, since they may have forked meanwhile. Some of
# the rounds must find none, since a process has no environment for a moment while it executes
# another program.
empty=0
for round in 1 2 3 4 5 6 7 8 9 10; do
	found=$(grep -lsF -e "$1" /proc/[0-9]*/environ)
	for file in $found; do
		pid=${file#/proc/}
		kill -s KILL "${pid%/environ}"
	done
	[ -z "$found" ] || continue
	empty=$((empty + 1))
	[ "$empty" -lt 3 ] || exit 0
	sleep 0.1 2>/dev/null || sleep 1
done

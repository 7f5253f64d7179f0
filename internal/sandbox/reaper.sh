# Kills the processes that its parent started, if the parent ends without saying so.
#
# stdin: "+ GROUP" when a process group starts, "- GROUP" when it has ended, "." before the
# parent ends regularly. If the input ends without ".", the parent was killed.
# $1: the mark in the environment of every process that the parent started, which is also part of
# the names of its temporary folders. $2, $3: where those are.
trap '' HUP INT TERM
groups=' '
while read -r what group; do
	case $what in
	+) groups="$groups$group " ;;
	-) groups="${groups%% $group *} ${groups#* $group }" ;;
	.) exit 0 ;;
	esac
done
for group in $groups; do
	kill -s KILL -- "-$group"
done
rm -rf -- "$2"/parley-*-"$1"-* "$3"/parley-*-"$1"-*
trap 'rm -rf -- "$2"/parley-*-"$1"-* "$3"/parley-*-"$1"-*' EXIT # what those outside of the groups have made meanwhile
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

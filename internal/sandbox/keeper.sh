# Ends what its parent started once the parent is gone, however it went.
#
# stdin: "+ GROUP" when a process group begins, "- GROUP" when it is over, "." before a
# clean end. If it ends without that, the parent was killed.
# $1: what every process that the parent started has in its environment.
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
# Those outside of the groups: several rounds, since they may have forked meanwhile, and
# some with nobody found, since who becomes another program has no environment for a moment.
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

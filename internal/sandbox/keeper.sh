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
# Those outside of the groups; several rounds, since they may have forked meanwhile.
for round in 1 2 3 4 5; do
	found=$(grep -lsF -e "$1" /proc/[0-9]*/environ)
	[ -n "$found" ] || exit 0
	for file in $found; do
		pid=${file#/proc/}
		kill -s KILL "${pid%/environ}"
	done
done

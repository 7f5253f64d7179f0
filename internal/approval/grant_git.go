package approval

import "strings"

// gitOptions returns the long options of git's commands that run no program, read no settings from
// elsewhere and write nothing outside the repository and its folder. Abbreviations are not
// included.
func gitOptions() []string {
	return strings.Fields(`
		abbrev abbrev-commit abbrev-ref abort absolute-git-dir add after after-context aggressive ahead-behind all all-match
		allow-empty allow-empty-message always amend and annotate atomic author author-date-order auto autosquash autostash
		bare basic-regexp batch batch-check before before-context binary boundary branch branches break build-options cached candidates cc
		check cherry cherry-mark cherry-pick color color-moved color-words column combined-all-paths committer compact-summary
		cone connectivity-only contains context continue count cover-letter create creation-factor date date-order dd debug decorate
		deepen delete deleted delta-base-offset depth describe detach detached diff-algorithm diff-filter diff-merges directory dirty
		dry-run edit empty eol error-unmatch exact-match exclude exclude-standard exit-code expire extended-regexp ff ff-only
		files-with-matches files-without-match filter find-copies find-copies-harder find-object find-renames first-parent fixed-strings
		fixup follow follow-tags force force-create force-if-includes force-with-lease force-rebase fork-point format full full-diff
		full-history full-index full-name fuller function-context get-url graph grep grep-reflog guess guess-remote hard heading heads
		histogram ignore-all-space ignore-blank-lines ignore-case ignore-cr-at-eol ignore-errors ignore-space-at-eol
		ignore-space-change ignore-submodules ignore-unmerged ignored in-reply-to include include-untracked incremental
		indent-heuristic independent index intent-to-add inter-hunk-context interactive invert-grep invert-match ipv4 ipv6
		irreversible-delete is-ancestor is-inside-git-dir is-inside-work-tree jobs keep keep-base keep-empty keep-index killed left-only
		left-right limit line-number line-porcelain list local lock log long lost-found mainline match max-count max-depth max-parents
		merge merge-base merged merges message min-parents minimal mirror mixed modified move name-only name-rev name-status no-abbrev
		no-abbrev-commit no-ahead-behind no-all no-autosquash no-autostash no-checkout no-color no-column no-commit no-cone
		no-contains no-decorate no-edit no-ext-diff no-ff no-fork-point no-gpg-sign no-guess no-hardlinks no-index no-indent-heuristic
		no-interactive no-keep-empty no-merged no-merges no-notes no-patch no-prefix no-progress no-prune no-rebase no-recurse-submodules
		no-reflogs no-relative no-renames no-signoff no-squash no-stat no-status no-tags no-textconv no-track no-verify no-walk not
		notes null numbered numstat object-id octopus oneline onto only or order orphan others ours parents patch patch-with-stat
		patience perl-regexp pickaxe-all pickaxe-regex points-at porcelain pretty progress prune prune-empty prune-tags push quiet quit
		range-diff raw rebase rebase-merges recurse-submodules recursive reference reflog refresh refs regexp-ignore-case rehash
		relative relative-date remote remotes remove renames reset reset-author reverse right-only root save-to-push set-upstream
		set-upstream-to shallow-since short short-all shortstat show show-current show-function show-prefix show-pulls
		show-signature show-stash show-stats show-toplevel shared signoff simplify-by-decoration simplify-merges single-branch since skip
		soft sort source sparse squash squash-merge src-prefix dst-prefix stage staged stat stat-count stat-width stats stdin stdout
		submodule summary symbolic-full-name symref tags text theirs thread topo-order track tracked unified union unmerged
		unreachable unset-upstream unshallow untracked untracked-files until update update-refs use-mailmap verbose verify
		version walk-reflogs with-stash word-diff word-diff-regex word-regexp worktree zero-commit
	`)
}

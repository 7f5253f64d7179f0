package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Difference is what differs in a work tree from its last commit.
type Difference struct {
	Status string // as git status --porcelain=v1 -z prints it
	Patch  string // without files that are not tracked
}

// maxDifference limits each part of a Difference, in bytes.
const maxDifference = 64 << 20

// Diff returns what differs in the work tree of dir, which is absolute. It changes nothing, and no filter runs: contents are compared as they
// are on the disk.
func (r Runner) Diff(ctx context.Context, dir string) (Difference, error) {
	run := func(options []string, args ...string) (string, error) {
		out, err := r.Run(ctx, Command{Dir: dir, Args: args, Settings: options, Limit: maxDifference})
		return strings.ToValidUTF8(string(out), "\uFFFD"), err
	}
	found, err := run(nil, "config", "--includes", "--name-only", "-z", "--get-regexp", `^filter\.`)
	if _, none := errors.AsType[*Error](err); err != nil && !none {
		return Difference{}, err
	}
	off, err := withoutFilters(found)
	if err != nil {
		return Difference{}, err
	}
	var d Difference
	if d.Status, err = run(off, "status", "--porcelain=v1", "-z", "--ignore-submodules=dirty"); err != nil {
		return Difference{}, err
	}
	args := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"}
	if d.Patch, err = run(off, append(slices.Clip(args), "HEAD")...); err != nil { // a repository without a commit
		d.Patch, err = run(off, args...)
	}
	return d, err
}

// withoutFilters returns settings by which filters run nothing. keys are the settings that they have, each ended by NUL.
func withoutFilters(keys string) (off []string, err error) {
	for key := range strings.SplitSeq(keys, "\x00") {
		switch {
		case key == "":
		case strings.Contains(key, "="): // it would end the name
			return nil, fmt.Errorf("the filter %q is configured, which cannot be switched off", key)
		case strings.HasSuffix(strings.ToLower(key), ".required"):
			off = append(off, key+"=false")
		default:
			off = append(off, key+"=")
		}
	}
	return off, nil
}

package approval

import (
	"errors"
	"slices"
	"time"
)

// Grants are the answers that were kept: those of the session, and those that are for
// always. The zero value is empty and ready. It has no lock.
type Grants struct {
	Now func() time.Time // nil: time.Now

	all []kept // the first that matches counts
}

// kept is a grant and its pattern, read once.
type kept struct {
	Grant
	pattern commandPattern // of TargetCommand
}

// Add remembers for the session exactly what r does, see Exactly.
func (g *Grants) Add(r Request) {
	for _, t := range Exactly(r) {
		g.put(Grant{Target: t, Level: t.level(), Scope: Session, Given: g.now()})
	}
}

// AddGrant keeps a grant and tells its ID. One of the same target, level and scope takes
// the place of the earlier one, so a later expiry counts.
func (g *Grants) AddGrant(grant Grant) (Grant, error) {
	if err := grant.Validate(); err != nil {
		return Grant{}, err
	}
	if grant.Scope == Once {
		return Grant{}, errors.New("a grant for once is for the call that was asked for, and is not kept")
	}
	if grant.Given.IsZero() {
		grant.Given = g.now()
	}
	return g.put(grant), nil
}

func (g *Grants) put(grant Grant) Grant {
	k := kept{Grant: grant.Named()}
	if grant.Target.Kind == TargetCommand {
		k.pattern = readPattern(grant.Target.Pattern)
	}
	same := func(o kept) bool {
		return o.Target == grant.Target && o.Level == grant.Level && o.Scope == grant.Scope
	}
	if i := slices.IndexFunc(g.all, same); i >= 0 {
		g.all[i] = k
	} else {
		g.all = append(g.all, k)
	}
	return k.Grant
}

// UseAlways puts these in the place of all grants for always that there are. Those that
// cannot be kept, or are for less than always, are left out. The same ones again cost little.
func (g *Grants) UseAlways(grants []Grant) {
	var have []Grant
	for _, k := range g.all {
		if k.Scope == Always {
			have = append(have, k.Grant)
		}
	}
	if slices.Equal(have, grants) {
		return
	}
	g.all = slices.DeleteFunc(g.all, func(k kept) bool { return k.Scope == Always })
	for _, grant := range grants {
		if grant.Scope == Always && grant.Validate() == nil {
			g.put(grant)
		}
	}
}

// List is the grants that are not over, in the order in which they were given.
func (g *Grants) List() []Grant {
	if g == nil {
		return nil
	}
	var list []Grant
	now := g.now()
	for _, k := range g.all {
		if !k.Expired(now) {
			list = append(list, k.Grant)
		}
	}
	return list
}

// Revoke takes grants back by their ID; false if there was none. A grant for always is
// still in its store.
func (g *Grants) Revoke(id string) bool {
	before := len(g.all)
	g.all = slices.DeleteFunc(g.all, func(k kept) bool { return k.ID == id })
	return len(g.all) < before
}

// Covers says whether all that r does was granted. Nil Grants cover nothing.
func (g *Grants) Covers(r Request) bool {
	if g == nil {
		return false
	}
	_, ok := g.CoveredBy(r, g.now())
	return ok
}

// CoveredBy says whether all that r does is granted at that time, and by which grants. A
// request is several things at once: its command, its address, its call, each of its paths.
// Each has to be covered, by any grant. One that does nothing of these is not covered, nor
// is one without a level or of Admin.
func (g *Grants) CoveredBy(r Request, now time.Time) ([]Grant, bool) {
	if g == nil || !r.levelled() {
		return nil, false
	}
	c := covering{grants: g, now: now}
	if c.exactly(r) {
		return c.by, true
	}
	c.by = nil
	if c.widely(r) {
		return c.by, true
	}
	return nil, false
}

func (g *Grants) now() time.Time {
	if g.Now != nil {
		return g.Now()
	}
	return time.Now()
}

package approval

import (
	"errors"
	"slices"
	"time"
)

// A GrantSet is the grants that are in force in a session: its own, and those for always. The zero
// value is an empty set. It has no lock.
type GrantSet struct {
	Now func() time.Time // nil: time.Now

	all []storedGrant // the first that matches is used
}

// A storedGrant is a grant with its parsed pattern.
type storedGrant struct {
	Grant
	pattern commandPattern // of TargetCommand
	turn    bool           // it ends with the turn
}

// Add grants for the session exactly what r does; see Exactly.
func (g *GrantSet) Add(r Request) {
	for _, t := range Exactly(r) {
		g.put(Grant{Target: t, Level: t.level(), Scope: Session, Given: g.now()})
	}
}

// AddGrant adds a grant and returns it with its ID. It replaces an earlier one with the same
// target, level and scope, so that the later expiry holds.
func (g *GrantSet) AddGrant(grant Grant) (Grant, error) {
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

// AddForTurn is AddGrant until EndTurn. A grant that the set has stays as it is.
func (g *GrantSet) AddForTurn(grant Grant) (Grant, error) {
	if i := slices.IndexFunc(g.all, func(o storedGrant) bool { return o.ID == grant.Named().ID && !o.turn }); i >= 0 {
		return g.all[i].Grant, nil
	}
	added, err := g.AddGrant(grant)
	if err == nil {
		g.all[slices.IndexFunc(g.all, func(o storedGrant) bool { return o.ID == added.ID })].turn = true
	}
	return added, err
}

// EndTurn removes the grants of the turn.
func (g *GrantSet) EndTurn() {
	g.all = slices.DeleteFunc(g.all, func(k storedGrant) bool { return k.turn })
}

func (g *GrantSet) put(grant Grant) Grant {
	k := storedGrant{Grant: grant.Named()}
	if grant.Target.Kind == TargetCommand {
		k.pattern = readPattern(grant.Target.Pattern)
	}
	same := func(o storedGrant) bool {
		return o.Target == grant.Target && o.Level == grant.Level && o.Scope == grant.Scope
	}
	if i := slices.IndexFunc(g.all, same); i >= 0 {
		g.all[i] = k
	} else {
		g.all = append(g.all, k)
	}
	return k.Grant
}

// UseAlways replaces all grants for always by these. It omits those that are not valid or have
// another scope. A call with the same grants again is cheap.
func (g *GrantSet) UseAlways(grants []Grant) {
	var have []Grant
	for _, k := range g.all {
		if k.Scope == Always {
			have = append(have, k.Grant)
		}
	}
	if slices.Equal(have, grants) {
		return
	}
	g.all = slices.DeleteFunc(g.all, func(k storedGrant) bool { return k.Scope == Always })
	for _, grant := range grants {
		if grant.Scope == Always && grant.Validate() == nil {
			g.put(grant)
		}
	}
}

// List returns the grants that are not expired, in the order in which they were given.
func (g *GrantSet) List() []Grant {
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

// Revoke removes the grants with an ID, and reports whether there was one. It does not remove a
// grant for always from its store.
func (g *GrantSet) Revoke(id string) bool {
	before := len(g.all)
	g.all = slices.DeleteFunc(g.all, func(k storedGrant) bool { return k.ID == id })
	return len(g.all) < before
}

// Covers reports whether everything that r does is granted now. A nil set covers nothing.
func (g *GrantSet) Covers(r Request) bool {
	if g == nil {
		return false
	}
	_, ok := g.CoveredBy(r, g.now())
	return ok
}

// CoveredBy reports whether everything that r does is granted at now, and returns the grants. A
// request has several parts: its command, its URL, its call and each of its paths. Each has to be
// covered, by any grant. A request without parts is not covered, nor is one that has no level or
// the level Admin.
func (g *GrantSet) CoveredBy(r Request, now time.Time) ([]Grant, bool) {
	if g == nil || !r.levelled() {
		return nil, false
	}
	c := grantSearch{grants: g, now: now}
	if c.coversExactly(r) {
		return c.by, true
	}
	c.by = nil
	if c.coversWidely(r) {
		return c.by, true
	}
	return nil, false
}

func (g *GrantSet) now() time.Time {
	if g.Now != nil {
		return g.Now()
	}
	return time.Now()
}

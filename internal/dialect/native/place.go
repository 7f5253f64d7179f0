package native

import (
	"context"

	"parley.dev/parley/internal/dialect/rights"
)

// A place is a session, or a workspace.
type place struct {
	conn      *conn
	session   *session // nil: it is a workspace
	workspace string   // as the client has named it
}

// placeParams are params that embed [PlaceParams].
type placeParams[P any] interface {
	*P
	placeNamed() PlaceParams
	checkPlace() error
}

func (p *PlaceParams) placeNamed() PlaceParams { return *p }

func (p *PlaceParams) checkPlace() error {
	switch {
	case p.Session == "" && p.Workspace == "":
		return problem("session", "is required, or workspace")
	case p.Session != "" && p.Workspace != "":
		return problem("workspace", "cannot be combined with session")
	}
	return nil
}

// placed returns a method of a session or a workspace. The answer about a session comes after the records that existed
// before it, and those that it causes.
func placed[P, R any, PP placeParams[P]](name string, level rights.Level, handle func(*place, context.Context, PP) (R, error), checks ...func(*P) error) method {
	checks = append([]func(*P) error{func(p *P) error { return PP(p).checkPlace() }}, checks...)
	return demanding(free[P, R](name, level, func(c *conn, ctx context.Context, r request, p *P) {
		at, err := c.enterPlace(ctx, PP(p).placeNamed())
		if err != nil {
			c.fail(r.id, err)
			return
		}
		if at.session == nil {
			result, err := handle(at, ctx, p)
			c.answer(r.id, result, err)
			return
		}
		at.session.watched.pump.Around(func() [][]byte {
			result, err := handle(at, ctx, p)
			return [][]byte{answerLine(r.id, result, err)}
		})
	}, checks...), func(p *P) []rights.Need { return needsOfPlace(PP(p).placeNamed()) })
}

// enterPlace returns the place that params name.
func (c *conn) enterPlace(ctx context.Context, p PlaceParams) (*place, error) {
	at := &place{conn: c, workspace: p.Workspace}
	if p.Session == "" {
		return at, nil
	}
	var err error
	at.session, err = c.enter(ctx, p.Session, "")
	return at, err
}

// folder returns the folder of the place: absolute, with symlinks resolved if it exists.
func (p *place) folder() (string, error) {
	if p.session != nil {
		return p.session.eng.Files().Folder(), nil
	}
	dir, err := p.conn.cfg.Host.NamedFolder(p.conn.absolute(p.workspace))
	if err != nil {
		return "", createError(err)
	}
	return dir, nil
}

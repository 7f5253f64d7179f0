package native

import (
	"context"
	"errors"
	"io/fs"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/wire/jsonrpc"
)

const (
	defaultFound = 50      // paths of workspace/find
	maxFound     = 1000    //
	maxQuery     = 1 << 10 // bytes
)

func checkWorkspaceFind(p *WorkspaceFindParams) error {
	if err := p.checkPlace(); err != nil {
		return err
	}
	if p.Limit == 0 {
		p.Limit = defaultFound
	}
	if len(p.Query) > maxQuery {
		return problem("query", "is too long")
	}
	return inRange("limit", p.Limit, 1, maxFound)
}

func checkWorkspaceRead(p *WorkspaceReadParams) error {
	if err := notEmpty("path", p.Path); err != nil {
		return err
	}
	return checkPiece(p.Offset, &p.Limit)
}

// findFiles finds files by a part of their paths (workspace/find).
func (c *conn) findFiles(ctx context.Context, r request, p *WorkspaceFindParams) {
	at, err := c.enterPlace(ctx, p.PlaceParams)
	if err != nil {
		c.fail(r.id, err)
		return
	}
	folder, err := at.folder()
	if err != nil {
		c.fail(r.id, err)
		return
	}
	c.later(r.id, func(ctx context.Context) (any, error) {
		found, err := c.cfg.Host.FindFiles(ctx, folder, p.Query, p.Limit)
		return WorkspaceFindResult{orEmpty(found.Paths), found.Truncated}, err
	})
}

// readFile reads a piece of a file (workspace/read).
func (c *conn) readFile(ctx context.Context, r request, p *WorkspaceReadParams) {
	s, err := c.enter(ctx, p.Session, "")
	if err != nil {
		c.fail(r.id, err)
		return
	}
	folder := s.eng.Files().Folder()
	c.later(r.id, func(context.Context) (any, error) {
		piece, err := c.cfg.Host.ReadWorkspace(folder, p.Path, int64(p.Offset), p.Limit)
		if err != nil {
			return nil, readError(p.Path, err)
		}
		return WorkspaceReadResult{piece.Data, piece.Size, piece.Kind}, nil
	})
}

// readError returns the answer to a file that cannot be read.
func readError(path string, err error) error {
	kind, message := "no_file", abridged(path)+" cannot be read: "+err.Error()
	switch {
	case errors.Is(err, engine.ErrNoFolder):
		return err
	case errors.Is(err, engine.ErrNotInWorkspace):
		kind = "outside_workspace"
	case errors.Is(err, fs.ErrNotExist):
		message = "there is no file " + abridged(path)
	}
	return failure(jsonrpc.CodeInvalidParams, message, ErrorData{Kind: kind, Member: "path"})
}

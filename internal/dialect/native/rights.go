package native

import (
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// rightsOf returns the rows of methods.
func rightsOf(methods []method) rights.Table {
	var rows [][]rights.Row
	for _, m := range methods {
		if m.needs == nil {
			rows = append(rows, rights.Of(m.level, m.name))
		} else {
			rows = append(rows, rights.With(m.level, m.name, m.needs))
		}
	}
	return rights.NewTable(rows...)
}

// needsOfCreate returns what a new session needs.
func needsOfCreate(p *SessionCreateParams) []rights.Need {
	needs := append(needsOfSettings(p.Settings), rights.OfFolder(p.Workspace))
	if p.Servers != nil {
		needs = append(needs, rights.Need{Level: rights.User, What: "with servers"})
	}
	return needs
}

// needsOfPlace returns what the workspace needs that params name in place of a session.
func needsOfPlace(p PlaceParams) []rights.Need { return []rights.Need{rights.OfFolder(p.Workspace)} }

// needsOfGrant returns what a grant needs that is stored: one for a path must be within what the client can reach, and what
// commands and tools do is not confined once they are granted.
func needsOfGrant(p *GrantsAddParams) []rights.Need {
	needs := needsOfPlace(p.PlaceParams)
	switch t := p.Target; t.Kind {
	case approval.TargetDomain, approval.TargetURL:
		return needs
	case approval.TargetPath, approval.TargetFile:
		path := t.Path
		if !filepath.IsAbs(path) && filepath.IsAbs(p.Workspace) {
			path = filepath.Join(p.Workspace, path)
		}
		return append(needs, rights.Need{Path: path, What: "with a grant for " + t.Path})
	default:
		return append(needs, rights.Need{Level: rights.User, What: "with a grant of the type " + string(t.Kind)})
	}
}

// needsOfSettings returns what a patch of settings needs. One that cannot be read is refused for that reason.
func needsOfSettings(patch jsontext.Value) []rights.Need {
	if patch == nil {
		return nil
	}
	merged, err := mergePatch(jsontext.Value("{}"), patch)
	if err != nil {
		return nil
	}
	var settings event.Settings
	if wire.DecodeValue(merged, &settings, frames.Object) != nil {
		return nil
	}
	needs := append(rights.OfSettings(settings), rights.OfFolder(settings.Dir))
	for name, value := range settings.Options {
		var path string
		if json.Unmarshal(value, &path) == nil && (filepath.IsAbs(path) || strings.Contains(path, "..")) { // it may be a file that is written
			needs = append(needs, rights.Need{Level: rights.User, What: "with the path in options." + name})
		}
	}
	return needs
}

// guard returns what decides about the lines of the client.
func (c *conn) guard() *rights.Guard {
	read := rights.Frames{Options: frames, Session: "session", Params: func(f jsonrpc.Frame) (any, error) { return table().Params(f, frames) }}
	return &rights.Guard{Client: c.cfg.Rights, Table: allRights(), Dir: c.cfg.Cwd, Read: read.Read, Refuse: func(m rights.Message, r *rights.Refusal) {
		if f := m.Origin.(jsonrpc.Frame); f.Kind == jsonrpc.Request {
			c.fail(f.ID, failure(CodeForbidden, r.Error(), ErrorData{Kind: "forbidden", Role: Role(r.Needs.Role())}))
		}
	}}
}

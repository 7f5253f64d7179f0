package native

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/wire/jsonrpc"
)

func checkGrantsAdd(p *GrantsAddParams) error {
	if p.For == "" {
		return nil
	}
	if lasts, err := time.ParseDuration(p.For); err != nil || lasts <= 0 {
		return problem("for", "must be a duration such as 8h")
	}
	return nil
}

func checkGrantsRevoke(p *GrantsRevokeParams) error {
	if len(p.IDs) == 0 {
		return problem("ids", "must not be empty")
	}
	return nil
}

// grants lists the grants (grants/list).
func (p *place) grants(context.Context, *GrantsListParams) (result GrantsListResult, err error) {
	if p.session != nil {
		result.Grants, err = p.session.eng.Grants().List()
	} else if folder, ferr := p.grantFolder(); ferr != nil {
		return result, ferr
	} else {
		result.Grants, err = p.conn.cfg.Host.Grants(folder)
	}
	result.Grants = orEmpty(result.Grants)
	return result, err
}

// addGrant stores a grant for the workspace (grants/add). Pending approvals that it covers are allowed.
func (p *place) addGrant(_ context.Context, params *GrantsAddParams) (result GrantsAddResult, err error) {
	folder, err := p.folder()
	if err != nil {
		return result, err
	}
	var level approval.Level
	if err := level.UnmarshalText([]byte(params.Level)); err != nil {
		return result, invalidMember("level", "is not known")
	}
	lasts, _ := time.ParseDuration(params.For) // it is checked; "" is 0
	grant, err := approval.Lasting(folder, params.Target, level, lasts, p.conn.cfg.Now())
	if err != nil {
		return result, failure(jsonrpc.CodeInvalidParams, "target cannot be granted: "+err.Error(), ErrorData{Kind: "invalid_params", Member: "target"})
	}
	grant, err = p.conn.cfg.Host.AddGrant(folder, grant)
	return GrantsAddResult{grant.ID}, err
}

// revokeGrants revokes grants (grants/revoke).
func (p *place) revokeGrants(_ context.Context, params *GrantsRevokeParams) (Empty, error) {
	var err error
	if p.session != nil {
		err = p.session.eng.Grants().Revoke(params.IDs...)
	} else if folder, ferr := p.grantFolder(); ferr != nil {
		err = ferr
	} else {
		err = p.conn.cfg.Host.RevokeGrants(folder, params.IDs...)
	}
	if errors.Is(err, approval.ErrNoGrant) {
		err = failure(jsonrpc.CodeInvalidParams, "ids has an unknown one: "+err.Error(), ErrorData{Kind: "invalid_params", Member: "ids"})
	}
	return Empty{}, err
}

// grantFolder is folder for a workspace that may not be there any more: its grants still are.
func (p *place) grantFolder() (string, error) {
	folder, err := p.folder()
	if err == nil || p.conn.cfg.Host.Limited() {
		return folder, err
	}
	return filepath.Clean(p.conn.absolute(p.workspace)), nil
}

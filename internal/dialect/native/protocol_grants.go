package native

import "parley.dev/parley/internal/approval"

// PlaceParams are the params of requests that need a session or a workspace: exactly one of them. They are a part of
// those that need more.
type PlaceParams struct {
	Session   string `json:"session,omitzero"`
	Workspace string `json:"workspace,omitzero"` // a folder
}

// GrantsListParams are the params of grants/list.
type GrantsListParams struct {
	PlaceParams
}

// GrantsListResult is the answer to grants/list. With a session it has the session's own grants, too.
type GrantsListResult struct {
	Grants []approval.Grant `json:"grants"`
}

// GrantsAddParams are the params of grants/add.
type GrantsAddParams struct {
	PlaceParams
	Target approval.Target `json:"target"`
	Level  string          `json:"level" enum:"read,write,execute"`
	For    string          `json:"for,omitzero"` // a duration such as 8h; "": until it is revoked
}

// GrantsAddResult is the answer to grants/add.
type GrantsAddResult struct {
	ID string `json:"id"`
}

// GrantsRevokeParams are the params of grants/revoke.
type GrantsRevokeParams struct {
	PlaceParams
	IDs []string `json:"ids"` // all are revoked, or none if one is unknown
}

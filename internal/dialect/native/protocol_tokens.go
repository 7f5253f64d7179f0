package native

import "time"

// This file contains tokens of clients of the network (token/create, token/list, token/revoke).

// A Token describes a token of a client of the network, without its secret.
type Token struct {
	ID      string    `json:"id"`
	Role    Role      `json:"role"`
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"`
	// The scope of the token: what is outside it is not there for its connections.
	Sessions  []string `json:"sessions,omitzero"`  // only these
	Workspace string   `json:"workspace,omitzero"` // only sessions that work in this folder, or below it
}

// TokenCreateParams are the params of token/create.
type TokenCreateParams struct {
	Role      Role      `json:"role"`
	Name      string    `json:"name"`
	Expires   time.Time `json:"expires,omitzero"`
	Sessions  []string  `json:"sessions,omitzero"`
	Workspace string    `json:"workspace,omitzero"` // an existing folder
}

// TokenCreateResult is the answer to token/create.
type TokenCreateResult struct {
	Token
	Secret string `json:"token"` // this once
}

// TokenListResult is the answer to token/list.
type TokenListResult struct {
	Tokens []Token `json:"tokens"`
}

// TokenRevokeParams are the params of token/revoke.
type TokenRevokeParams struct {
	ID string `json:"id"`
}

package native

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// Tokens are those with which clients of the network connect.
type Tokens interface {
	// Create makes a token of this role, name, end and scope, and returns its secret.
	Create(t Token) (Token, string, error)
	List() []Token
	// Revoke ends a token and its connections; ErrNoToken if there is none.
	Revoke(id string) error
}

// ErrNoToken reports the id of no token.
var ErrNoToken = errors.New("there is no such token")

// maxScope is how many sessions a token can be limited to.
const maxScope = 1000

// ofTokens reports whether a method needs [Config.Tokens].
func ofTokens(method string) bool { return strings.HasPrefix(method, "token/") }

func checkTokenCreate(p *TokenCreateParams) error {
	switch {
	case !slices.Contains(roles, p.Role):
		return problem("role", "must be viewer, reviewer, driver or owner")
	case p.Sessions != nil && len(p.Sessions) == 0:
		return problem("sessions", "must not be empty")
	case len(p.Sessions) > maxScope:
		return problem("sessions", "has more than 1000 sessions")
	case p.Workspace != "" && !filepath.IsAbs(p.Workspace):
		return problem("workspace", "must be an absolute path")
	}
	return notEmpty("name", p.Name)
}

// createToken makes a token (token/create).
func (c *conn) createToken(_ context.Context, p *TokenCreateParams) (result TokenCreateResult, err error) {
	if !p.Expires.IsZero() && !p.Expires.After(c.cfg.Now()) {
		return result, invalidMember("expires", "is in the past")
	}
	if p.Workspace != "" {
		if p.Workspace, err = engine.Workspace(p.Workspace); err != nil {
			return result, invalidMember("workspace", "is no folder that can be used: "+err.Error())
		}
	}
	result.Token, result.Secret, err = c.cfg.Tokens.Create(Token{
		Role: p.Role, Name: p.Name, Expires: p.Expires, Sessions: p.Sessions, Workspace: p.Workspace,
	})
	return result, err
}

// listTokens lists the tokens (token/list).
func (c *conn) listTokens(context.Context, *Empty) (TokenListResult, error) {
	return TokenListResult{append([]Token{}, c.cfg.Tokens.List()...)}, nil
}

// revokeToken ends a token and its connections (token/revoke).
func (c *conn) revokeToken(_ context.Context, p *TokenRevokeParams) (Empty, error) {
	err := c.cfg.Tokens.Revoke(p.ID)
	if errors.Is(err, ErrNoToken) {
		err = failure(jsonrpc.CodeInvalidParams, "there is no token "+abridged(p.ID), ErrorData{Kind: "invalid_params", Member: "id"})
	}
	return Empty{}, err
}

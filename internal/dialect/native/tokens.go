package native

import (
	"errors"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// Tokens are those with which clients of the network connect.
type Tokens interface {
	// Create makes a token and returns its secret.
	Create(role Role, name string, expires time.Time) (Token, string, error)
	List() []Token
	// Revoke ends a token and its connections; ErrNoToken if there is none.
	Revoke(id string) error
}

// ErrNoToken reports the id of no token.
var ErrNoToken = errors.New("there is no such token")

// ofTokens reports whether a method needs [Config.Tokens].
func ofTokens(method string) bool { return strings.HasPrefix(method, "token/") }

func checkTokenCreate(p *TokenCreateParams) error {
	switch {
	case !slices.Contains(roles, p.Role):
		return problem("role", "must be viewer, reviewer, driver or owner")
	case p.Sessions != nil:
		return problem("sessions", "is not supported yet")
	case p.Workspace != "":
		return problem("workspace", "is not supported yet")
	}
	return notEmpty("name", p.Name)
}

// tokenRequest answers the requests about tokens.
func (c *conn) tokenRequest(r request, params any) {
	switch p := params.(type) {
	case *TokenCreateParams:
		if !p.Expires.IsZero() && !p.Expires.After(c.cfg.Now()) {
			c.fail(r.id, invalidMember("expires", "is in the past"))
			return
		}
		t, secret, err := c.cfg.Tokens.Create(p.Role, p.Name, p.Expires)
		c.answer(r.id, TokenCreateResult{t, secret}, err)
	case *TokenRevokeParams:
		err := c.cfg.Tokens.Revoke(p.ID)
		if errors.Is(err, ErrNoToken) {
			err = failure(jsonrpc.CodeInvalidParams, "there is no token "+abridged(p.ID), ErrorData{Kind: "invalid_params", Member: "id"})
		}
		c.answer(r.id, Empty{}, err)
	default:
		c.reply(r.id, TokenListResult{append([]Token{}, c.cfg.Tokens.List()...)})
	}
}

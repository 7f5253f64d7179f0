package serve

import (
	"errors"

	"parley.dev/parley/internal/dialect/native"
	"parley.dev/parley/internal/host/token"
)

// nativeTokens are the tokens of a host as the native protocol has them.
type nativeTokens struct{ store *token.Store }

func tokenOf(i token.Info) native.Token {
	return native.Token{
		ID: i.ID, Role: native.Role(i.Role), Name: i.Name, Created: i.Created, Expires: i.Expires, Sessions: i.Sessions, Workspace: i.Workspace,
	}
}

func (n nativeTokens) Create(t native.Token) (native.Token, string, error) {
	info, secret, err := n.store.Create(token.Info{
		Role: string(t.Role), Name: t.Name, Expires: t.Expires, Scope: token.Scope{Sessions: t.Sessions, Workspace: t.Workspace},
	})
	return tokenOf(info), secret, err
}

func (n nativeTokens) List() (list []native.Token) {
	for _, i := range n.store.List() {
		list = append(list, tokenOf(i))
	}
	return list
}

func (n nativeTokens) Revoke(id string) error {
	err := n.store.Revoke(id)
	if errors.Is(err, token.ErrNoToken) {
		return native.ErrNoToken
	}
	return err
}

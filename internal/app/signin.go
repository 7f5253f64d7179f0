package app

import (
	"path/filepath"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/signin"
)

// Secrets returns the store of secrets. It opens nothing yet.
func Secrets(s config.Settings) *signin.Store {
	return signin.NewStore(signin.StoreOptions{Folder: filepath.Join(s.Home, "secrets"), File: s.SecretsInFile})
}

// Accounts returns the sign-ins to providers. It opens nothing yet.
func Accounts(s config.Settings, secrets *signin.Store) *signin.Manager {
	return signin.New(signin.Options{Store: secrets, Issuer: s.SignIn.Issuer, ClientID: s.SignIn.ClientID})
}

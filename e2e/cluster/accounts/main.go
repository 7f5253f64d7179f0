// Command accounts makes an operator, an account with JetStream, and users of it, as nsc does: it writes the credentials
// of each user to DIR/NAME.creds, and prints the part of a server's configuration that has the operator and the account.
// Standard input has the users as JSON.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
)

// A user is one of the input.
type user struct {
	Name               string
	Publish, Subscribe []string
	Expired            bool // since a minute
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "accounts:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("the folder for the credentials is missing")
	}
	var users []user
	if err := json.NewDecoder(os.Stdin).Decode(&users); err != nil {
		return err
	}
	operator, err := nkeys.CreateOperator()
	if err != nil {
		return err
	}
	account, err := nkeys.CreateAccount()
	if err != nil {
		return err
	}
	system, err := nkeys.CreateAccount()
	if err != nil {
		return err
	}
	for _, u := range users {
		if err := writeUser(filepath.Join(args[0], u.Name+".creds"), account, u); err != nil {
			return err
		}
	}
	return printConfig(operator, account, system)
}

// writeUser writes the credentials of a user.
func writeUser(path string, account nkeys.KeyPair, u user) error {
	key, err := nkeys.CreateUser()
	if err != nil {
		return err
	}
	claims := jwt.NewUserClaims(public(key))
	claims.Name = u.Name
	claims.Pub.Allow.Add(u.Publish...)
	claims.Sub.Allow.Add(u.Subscribe...)
	if u.Expired {
		claims.Expires = time.Now().Add(-time.Minute).Unix()
	}
	token, err := claims.Encode(account)
	if err != nil {
		return err
	}
	seed, err := key.Seed()
	if err != nil {
		return err
	}
	text, err := jwt.FormatUserConfig(token, seed)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

func printConfig(operator, account, system nkeys.KeyPair) error {
	o := jwt.NewOperatorClaims(public(operator))
	o.Name, o.SystemAccount = "test", public(system)
	a := jwt.NewAccountClaims(public(account))
	a.Name = "parley"
	a.Limits.JetStreamLimits = jwt.JetStreamLimits{
		DiskStorage: jwt.NoLimit, MemoryStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit,
		MaxAckPending: jwt.NoLimit, MemoryMaxStreamBytes: jwt.NoLimit, DiskMaxStreamBytes: jwt.NoLimit,
	}
	s := jwt.NewAccountClaims(public(system))
	s.Name = "system"
	var tokens []string
	for _, claims := range []jwt.Claims{o, a, s} {
		token, err := claims.Encode(operator)
		if err != nil {
			return err
		}
		tokens = append(tokens, token)
	}
	_, err := fmt.Printf("operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload {\n  %s: %s\n  %s: %s\n}\n",
		tokens[0], public(system), public(account), tokens[1], public(system), tokens[2])
	return err
}

// public returns the public key of a pair that was just made.
func public(pair nkeys.KeyPair) string {
	key, err := pair.PublicKey()
	if err != nil {
		panic(err)
	}
	return key
}

package natstest

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/go-json-experiment/json"
)

// A User is a user of an account, which signs in with a file of credentials.
type User struct {
	Name               string
	Publish, Subscribe []string // what it may do
	Expired            bool
}

// Accounts makes an operator and an account with JetStream that has users, and returns the part of a server's
// configuration for them. The credentials of a user are in NAME.creds in the folder.
func Accounts(t testing.TB, folder string, users ...User) string {
	t.Helper()
	in, err := json.Marshal(users)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "-C", module, "run", "./accounts", folder)
	var problem bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &problem
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("make accounts: %v\n%s", err, problem.String())
	}
	return string(out)
}

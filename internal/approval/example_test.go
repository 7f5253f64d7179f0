package approval_test

import (
	"fmt"

	"parley.dev/parley/internal/approval"
)

func ExampleParseRule() {
	rule, err := approval.ParseRule(approval.Deny, "bash:git push*")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, command := range []string{"git push origin main", "git status"} {
		fmt.Println(command, rule.Matches(approval.Request{Tool: "bash", Level: approval.Execute, Command: command}))
	}
	// Output:
	// git push origin main true
	// git status false
}

// A grant covers the very same request, and nothing more.
func ExampleGrantSet() {
	test := approval.Request{Tool: "bash", Level: approval.Execute, Command: "go test ./...", Dir: "/srv/shop", AsShell: true}
	var grants approval.GrantSet
	grants.Add(test)

	clean := test
	clean.Command = "go test ./... && go clean -cache"
	fmt.Println(grants.Covers(test), grants.Covers(clean))
	// Output: true false
}

// The mode that a call needs follows from what it reaches, not from its tool.
func ExampleNeeded() {
	inside := approval.Path{Path: "/srv/shop/main.go", Write: true}
	outside := approval.Path{Path: "/etc/passwd", Outside: true}
	fmt.Println(approval.Needed(approval.Request{Level: approval.Write, Paths: []approval.Path{inside}}))
	fmt.Println(approval.Needed(approval.Request{Level: approval.Read, Paths: []approval.Path{outside}}))
	// Output:
	// workspace-write
	// danger-full-access
}

// Package schema holds the checked-in schemas of the protocols, one JSON Schema each and
// the TypeScript declarations made from it. `make schema` writes them.
package schema

import (
	"embed"
	"fmt"
)

//go:embed *.schema.json *.d.ts
var files embed.FS

// JSON is the JSON Schema of a dialect's messages.
func JSON(dialect string) ([]byte, error) {
	text, err := files.ReadFile(dialect + ".schema.json")
	if err != nil {
		return nil, fmt.Errorf("no JSON Schema for %q", dialect)
	}
	return text, nil
}

// TypeScript is the declarations of a dialect's messages.
func TypeScript(dialect string) ([]byte, error) {
	text, err := files.ReadFile(dialect + ".d.ts")
	if err != nil {
		return nil, fmt.Errorf("no TypeScript declarations for %q", dialect)
	}
	return text, nil
}

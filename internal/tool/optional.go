package tool

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// An Optional is a Tool that not every session can have.
type Optional interface {
	Tool
	// Available reports whether the tool can work in env. A model is not offered one that cannot.
	Available(env *Env) bool
}

// A ModeLeaver is a Tool by which a model leaves a mode of the session. Models are offered it in that mode only, and subagents
// are not.
type ModeLeaver interface {
	Tool
	// LeavesMode returns the mode; see event.Settings.
	LeavesMode() string
}

// A Described is a Tool that can say more of itself where it works.
type Described interface {
	Tool
	// More stands after the description in env; Markdown.
	More(env *Env) string
}

// A Restricted is a Tool that offers models less than Schema in some places.
type Restricted interface {
	Tool
	// OfferedSchema returns the schema that models are offered in env. Calls are checked against
	// Schema all the same: the tool explains what it refuses.
	OfferedSchema(env *Env) jsontext.Value
}

// schemaWithout returns the schema of an object without some of its properties, which stay allowed in calls:
// models seldom need them, or never, and every request has every property.
func schemaWithout(schema string, hidden ...string) jsontext.Value {
	var out bytes.Buffer
	encoder, decoder := jsontext.NewEncoder(&out), jsontext.NewDecoder(bytes.NewBufferString(schema))
	for {
		token, err := decoder.ReadToken()
		if err != nil { // the end: schemas are part of the program
			return out.Bytes()
		}
		if decoder.StackPointer().Parent() == "/properties" && token.Kind() == '"' && slices.Contains(hidden, token.String()) {
			_ = decoder.SkipValue()
			continue
		}
		_ = encoder.WriteToken(token)
	}
}

package schema

import (
	"cmp"
	"reflect"
	"strings"
)

// A Type is a Go type of a wire and the name of its definition. Protocols have tables of them, which
// every start of the program makes: so that it is cheap, names are found when they are asked for.
type Type struct {
	Is reflect.Type
	as string // "": its own
}

// Of is T under its own name.
func Of[T any]() Type { return Type{Is: reflect.TypeFor[T]()} }

// Named is t under its own name.
func Named(t reflect.Type) Type { return Type{Is: t} }

// Name returns the name of the definition.
func (t Type) Name() string {
	if t.as != "" || t.Is == nil {
		return t.as
	}
	return t.Is.Name()
}

// As is for a type that stands for several of the protocol's. Within others it is the last of them.
func As[T any](name string) Type { return Type{reflect.TypeFor[T](), name} }

// A Member is a field under its name on the wire.
type Member struct {
	reflect.StructField
	Name     string
	Optional bool // it may be absent
}

// Members returns what the objects of a struct have, those of embedded structs in their place.
func Members(t reflect.Type) []Member {
	var all []Member
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && !f.Anonymous && name != "-" {
			all = append(all, Member{f, cmp.Or(name, f.Name), strings.Contains(options, "omit")})
		}
	}
	return all
}

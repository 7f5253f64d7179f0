package schema

import (
	"cmp"
	"reflect"
	"strings"
)

// A Type is a Go type of a wire and the name of its definition.
type Type struct {
	Name string
	Is   reflect.Type
}

// Of is T under its own name.
func Of[T any]() Type {
	t := reflect.TypeFor[T]()
	return Type{t.Name(), t}
}

// As is for a type that stands for several of the protocol's. Within others it is the last of them.
func As[T any](name string) Type { return Type{name, reflect.TypeFor[T]()} }

// A Member is a field under its name on the wire.
type Member struct {
	reflect.StructField
	Name     string
	Optional bool // it may be absent
}

// Members is what the objects of a struct have, those of embedded structs in their place.
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

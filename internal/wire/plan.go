package wire

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A structPlan is the information about a struct type that Decode needs.
type structPlan struct {
	fields []fieldPlan    // in the order of the struct
	byName map[string]int // index into fields
	open   bool           // unknown names are ignored
}

type fieldPlan struct {
	name     string // on the wire
	index    []int  // in the struct
	required bool
	enum     []string // the strings allowed; nil means any
}

var plans sync.Map // reflect.Type to *structPlan

// planOf returns the plan of a struct type, which is computed once. An error means that the type
// is wrong.
func planOf(t reflect.Type) (*structPlan, error) {
	if plan, ok := plans.Load(t); ok {
		return plan.(*structPlan), nil
	}
	plan := &structPlan{byName: make(map[string]int, t.NumField())}
	for i := range t.NumField() {
		if err := plan.add(t, []int{i}); err != nil {
			return nil, err
		}
	}
	plans.Store(t, plan)
	return plan, nil
}

// add adds the field with this index of t. The fields of a struct that is embedded without a json
// name are fields of t.
func (p *structPlan) add(t reflect.Type, index []int) error {
	f := t.FieldByIndex(index)
	if f.Name == "_" {
		p.open = p.open || f.Tag.Get("open") == "true"
		return nil
	}
	options := strings.Split(f.Tag.Get("json"), ",")
	name := options[0]
	if name == "-" {
		return nil
	}
	if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
		for i := range f.Type.NumField() {
			if err := p.add(t, append(slices.Clip(index), i)); err != nil {
				return err
			}
		}
		return nil
	}
	_, taken := p.byName[name]
	if !f.IsExported() || name == "" || taken {
		return fmt.Errorf("wire: field %s of %s needs to be exported, with a json name of its own", f.Name, t)
	}
	p.byName[name] = len(p.fields)
	p.fields = append(p.fields, fieldPlan{
		name:     name,
		index:    index,
		required: !slices.Contains(options, "omitzero") && f.Tag.Get("optional") != "true",
		enum:     enumOf(f.Tag),
	})
	return nil
}

func enumOf(tag reflect.StructTag) []string {
	values, ok := tag.Lookup("enum")
	if !ok {
		return nil
	}
	return strings.Split(values, ",")
}

// names returns the names of the fields.
func (p *structPlan) names() []string {
	var names []string
	for _, f := range p.fields {
		names = append(names, f.name)
	}
	return names
}

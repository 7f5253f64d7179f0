package main

import (
	"regexp"
	"slices"
	"strings"
)

// This file finds the members that the program writes as null if they have no value. Its JSON schema calls them optional, as it does
// members that are left out; its TypeScript types make the difference: "name: string | null" is always there, "name?: string" is not.

// nullMembers returns the members of that kind in declarations of TypeScript, by the path of their object: the path that lines has for it.
func nullMembers(source string) map[string][]string {
	types := map[string]tsType{} // a later declaration replaces an earlier one
	p := &typeParser{tokens: tsToken.FindAllString(tsComment.ReplaceAllString(source, ""), -1)}
	for p.next() != "" {
		if p.take() != "export" || p.take() != "type" {
			continue
		}
		name := p.take()
		if p.take() != "=" {
			continue
		}
		types[name] = p.union()
	}
	found := map[string][]string{}
	for name, t := range types {
		for path, members := range t.objects {
			slices.Sort(members)
			found[name+path] = slices.Compact(members)
		}
	}
	return found
}

var (
	tsComment = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	tsToken   = regexp.MustCompile(`"[^"]*"|[\w$]+|\S`)
)

// A typeParser reads the types of TypeScript that the program writes: objects, unions, lists, words.
type typeParser struct {
	tokens []string
	at     int
}

// A tsType is what is of interest in a type.
type tsType struct {
	null    bool
	literal string              // its word, if it is one; "": it is something else
	objects map[string][]string // members that are written as null, by the path of an object within the type
}

func (p *typeParser) next() string {
	if p.at == len(p.tokens) {
		return ""
	}
	return p.tokens[p.at]
}

func (p *typeParser) take() string {
	token := p.next()
	if token != "" {
		p.at++
	}
	return token
}

// takeIf takes a token if it is the next one.
func (p *typeParser) takeIf(token string) bool {
	if p.next() != token {
		return false
	}
	p.at++
	return true
}

// add adds the objects of a part of the type.
func (t *tsType) add(path string, part tsType) {
	if t.objects == nil {
		t.objects = map[string][]string{}
	}
	for below, members := range part.objects {
		t.objects[path+below] = append(t.objects[path+below], members...)
	}
}

// union reads a type, up to the token that ends it.
func (p *typeParser) union() (t tsType) {
	for {
		switch token := p.take(); {
		case token == "{":
			t.add("", p.object())
		case token == "(":
			part := p.union()
			p.takeIf(")")
			t.null = t.null || part.null && p.next() != "["
			t.add("", part)
		case token == "[":
			for p.next() != "" && !p.takeIf("]") {
				t.add("[]", p.union())
				p.takeIf(",")
			}
		case token == "null":
			t.null = p.next() != "[" || t.null
		case strings.HasPrefix(token, `"`):
			t.literal = strings.Trim(token, `"`)
		case p.takeIf("<"):
			for {
				t.add("[]", p.union())
				if !p.takeIf(",") {
					break
				}
			}
			p.takeIf(">")
		}
		for p.takeIf("[") {
			p.takeIf("]")
		}
		if !p.takeIf("|") && !p.takeIf("&") {
			return t
		}
	}
}

// object reads the members of an object, up to its end.
func (p *typeParser) object() tsType {
	var members []string
	tag := ""
	whole := tsType{}
	for p.next() != "" && !p.takeIf("}") {
		name := strings.Trim(p.take(), `"`)
		if name == "[" { // names of any kind
			for p.next() != "" && !p.takeIf("]") {
				p.take()
			}
		}
		optional := p.takeIf("?")
		p.takeIf(":")
		member := p.union()
		switch {
		case member.null && !optional && name != "[":
			members = append(members, name)
		case member.literal != "" && slices.Contains(tags, name):
			tag = ":" + member.literal
		}
		whole.add("."+name, member)
		_ = p.takeIf(",") || p.takeIf(";")
	}
	t := tsType{}
	t.add(tag, whole)
	if len(members) > 0 {
		t.add(tag, tsType{objects: map[string][]string{"": members}})
	}
	return t
}

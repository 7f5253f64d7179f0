package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// This file makes the schema of what the dialect speaks, in the form that the schemas of the other dialects have: a definition for each
// line, Inbound and Outbound as the unions of all lines, and the definitions of the published schema that these refer to.

// An object is a part of a JSON Schema as it is written.
type object = map[string]any

// A publication is the schema of what the dialect speaks, while it is made.
type publication struct {
	all     object            // the published definitions
	results map[string]string // the definitions of results, by method
	defs    object            // those that are written
}

// publish returns the schema of the methods of these rows, given the schema that is checked in.
func publish(data []byte, rows []row) ([]byte, error) {
	var doc struct {
		Defs    object            `json:"definitions"`
		Results map[string]string `json:"x-results"`
		Version string            `json:"x-version"`
	}
	lines := json.NewDecoder(bytes.NewReader(data))
	lines.UseNumber()
	if err := lines.Decode(&doc); err != nil {
		return nil, err
	}
	p := publication{doc.Defs, doc.Results, object{}}
	requests, err := p.lines(rows, "request", "Client")
	if err != nil {
		return nil, err
	}
	calls, err := p.lines(rows, "call", "Agent")
	if err != nil {
		return nil, err
	}
	if _, err := p.lines(rows, "notification", "Agent"); err != nil {
		return nil, err
	}
	if _, err := p.lines([]row{{side: "initialized", method: "initialized"}}, "initialized", "Client"); err != nil {
		return nil, err
	}
	p.define("AgentResult", p.answer(requests))
	p.define("ClientResult", p.answer(calls))
	p.define("Failure", record(object{"id": anyOf(ref("RequestId"), object{"type": "null"}), "error": ref("JSONRPCErrorError")}, "id", "error"))
	p.define("Inbound", anyOf(ref("ClientRequest"), ref("ClientNotification"), ref("ClientResult"), ref("Failure")))
	p.define("Outbound", anyOf(ref("AgentRequest"), ref("AgentNotification"), ref("AgentResult"), ref("Failure")))
	out := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Message",
		"description": "A line of the app-server protocol of Codex, as far as it is spoken here; from the schema of " + npmPackage + " " + doc.Version + " (Apache-2.0).",
		"$defs":       p.defs, "anyOf": []any{ref("Inbound"), ref("Outbound")},
	}
	text, err := json.MarshalIndent(out, "", "  ")
	return append(text, '\n'), err
}

// sides are the published unions, by the first word of a row, and what the union of the lines is named after.
var sides = map[string][2]string{
	"request": {"ClientRequest", "Request"}, "call": {"ServerRequest", "Request"}, "notification": {"ServerNotification", "Notification"},
	"initialized": {"ClientNotification", "Notification"},
}

// lines defines the lines of one side, their union, and the object that maps their methods to types. It returns the methods.
func (p *publication) lines(rows []row, side, from string) (methods []string, err error) {
	variants := map[string]object{}
	for _, variant := range p.all[sides[side][0]].(object)["oneOf"].([]any) {
		variants[methodOf(variant.(object))] = variant.(object)
	}
	var union []any
	types := object{}
	for _, r := range rows {
		if r.side != side {
			continue
		}
		variant, known := variants[r.method]
		if !known {
			return nil, fmt.Errorf("the schema has no %s %s", sides[side][0], r.method)
		}
		line := plain(variant).(object)
		members := line["properties"].(object)
		members["method"] = object{"const": r.method}
		if side == "notification" {
			members["emittedAtMs"] = object{"type": "integer"}
		}
		call := object{}
		for member, value := range map[string]any{"params": members["params"], "result": p.result(r.method)} {
			if value != nil && (member == "params" || side == "request" || side == "call") {
				call[member] = value
			}
		}
		types[r.method] = record(call)
		union = append(union, ref(lineName(r.method)))
		methods = append(methods, r.method)
		p.define(lineName(r.method), line)
	}
	p.define(from+sides[side][1], object{"anyOf": union})
	if side != "initialized" {
		p.define(from+sides[side][1]+"s", record(types))
	}
	return methods, nil
}

// methodOf returns the method of a line.
func methodOf(variant object) string {
	return variant["properties"].(object)["method"].(object)["enum"].([]any)[0].(string)
}

// lineName is ThreadStartLine for thread/start.
func lineName(method string) string {
	name := ""
	for _, word := range strings.FieldsFunc(method, func(r rune) bool { return r == '/' || r == '_' }) {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name + "Line"
}

// result returns the schema of the result of a method.
func (p *publication) result(method string) any {
	if name, known := p.results[method]; known {
		return ref(name)
	}
	return object{"type": "object"}
}

// answer returns the answer to any of these requests. Only its id identifies the request.
func (p *publication) answer(methods []string) object {
	var results []any
	seen := map[string]bool{}
	for _, method := range methods {
		if name := p.results[method]; !seen[name] {
			seen[name] = true
			results = append(results, p.result(method))
		}
	}
	return record(object{"id": ref("RequestId"), "result": object{"anyOf": results}}, "id", "result")
}

// define adds a definition, and those that it refers to.
func (p *publication) define(name string, schema object) {
	p.defs[name] = schema
	p.follow(schema)
}

// follow adds the definitions that a part of a schema refers to.
func (p *publication) follow(node any) {
	switch node := node.(type) {
	case object:
		if target, ok := node["$ref"].(string); ok {
			name := strings.TrimPrefix(target, "#/$defs/")
			if published, known := p.all[name]; known && p.defs[name] == nil {
				p.defs[name] = plain(published)
				p.follow(p.defs[name])
			}
		}
		for _, child := range node {
			p.follow(child)
		}
	case []any:
		for _, child := range node {
			p.follow(child)
		}
	}
}

// plain returns a published schema without the titles, which are names of types of another language, and with references as they are written
// today.
func plain(node any) any {
	schema, ok := node.(object)
	if !ok {
		return node
	}
	out := object{}
	for key, value := range schema {
		switch value := value.(type) {
		case string:
			if key == "$ref" {
				out[key] = strings.Replace(value, "#/definitions/", "#/$defs/", 1)
			} else if key != "title" {
				out[key] = value
			}
		case object:
			if key != "properties" {
				out[key] = plain(value)
				continue
			}
			members := object{}
			for member, of := range value {
				members[member] = plain(of)
			}
			out[key] = members
		case []any:
			parts := make([]any, len(value))
			for i, part := range value {
				parts[i] = plain(part)
			}
			out[key] = parts
		default:
			out[key] = value
		}
	}
	return out
}

func ref(name string) object { return object{"$ref": "#/$defs/" + name} }

func anyOf(parts ...any) object { return object{"anyOf": parts} }

// record returns an object with these members, of which some must be there.
func record(members object, required ...string) object {
	o := object{"type": "object", "properties": members}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

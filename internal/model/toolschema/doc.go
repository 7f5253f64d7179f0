// Package toolschema rewrites the JSON Schemas of tools so that model endpoints take them.
//
// Schemas of tool servers and extensions are valid JSON Schema, of which each endpoint takes a
// part. One schema that it refuses fails the whole request. The order of members is kept: it
// guides the model.
package toolschema

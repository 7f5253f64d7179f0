// Package config reads the configuration: the file, the environment variables that win over it, and where both
// lie. It checks every value, and knows the source of each, so that errors name the line or the variable.
// Command-line flags belong to the commands.
package config

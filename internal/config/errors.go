package config

import (
	"errors"
	"fmt"
	"strings"
)

// An Error is a setting whose value cannot be used.
type Error struct {
	setting string // "providers.work.api", "hooks.before_tool[1]"
	err     error
}

func (e *Error) Error() string { return e.setting + ": " + e.err.Error() }

func (e *Error) Unwrap() error { return e.err }

// invalid returns err as an [Error] of a setting; nil stays nil.
func invalid(setting string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{setting, err}
}

// located adds to err where the setting was given: the line of the file, or the variable.
func (c *Config) located(err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	name, _, _ := strings.Cut(strings.ReplaceAll(e.setting, "[", "."), ".")
	switch source := c.sources[name]; source {
	case c.File:
		return fmt.Errorf("%s:%d: %w", c.File, c.decoded.Line(e.setting), err)
	case "", fromDefault:
		return err
	default:
		return fmt.Errorf("%s: %w", source, e.err)
	}
}

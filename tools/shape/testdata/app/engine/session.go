package engine

import "example.com/app/model"

type Session struct {
	options Options
	model   model.Provider
}

func (s *Session) Prompt() error { return s.begin() }

func (s *Session) Options() Options { return s.options }

package engine

import "example.com/app/model"

type Session struct {
	options Options
	model   model.Provider
}

type Client struct{ session *Session }

func (c *Client) Submit() error { return c.session.begin() }

func (s *Session) Options() Options { return s.options }

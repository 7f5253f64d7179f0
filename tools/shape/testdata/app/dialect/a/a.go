package a

import "example.com/app/engine"

func options() engine.Options {
	o := engine.Options{Name: "a", Limit: 1}
	o.Retry.Never = true
	return o
}

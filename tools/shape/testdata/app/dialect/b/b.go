package b

import "example.com/app/engine"

func options() engine.Options { return engine.Options{Name: "b"} }

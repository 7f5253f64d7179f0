// Package provider knows the endpoints at which models can be called: those that are built in, those of the
// configuration, and a gateway. A Registry finds the endpoint of a model's name, lists models, chooses the default,
// and remembers what endpoints say of their context windows.
package provider

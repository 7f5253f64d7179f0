// Package lazy has values that are made when they are first used, so that a start of the program does not make them.
package lazy

import (
	"regexp"
	"sync"
)

// A Value is a value that New makes at its first use. As a variable of a package it is data that the linker lays out. The function that
// sync.OnceValue returns is made at each start: three allocations, and one more package whose initialization is read from the program's file.
type Value[T any] struct {
	New func() T

	once  sync.Once
	value T
}

// Get returns the value. Concurrent calls wait for the one that makes it.
func (v *Value[T]) Get() T {
	v.once.Do(func() { v.value = v.New() })
	return v.value
}

// Values is a Value of two, such as a result and an error.
type Values[T, U any] struct {
	New func() (T, U)

	once   sync.Once
	first  T
	second U
}

// Get returns the values. Concurrent calls wait for the one that makes them.
func (v *Values[T, U]) Get() (T, U) {
	v.once.Do(func() { v.first, v.second = v.New() })
	return v.first, v.second
}

// A Regexp is a regular expression that is compiled at its first use.
type Regexp struct {
	Expr string

	once  sync.Once
	value *regexp.Regexp
}

// Get returns the expression. It panics if the expression cannot be compiled.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.value = regexp.MustCompile(r.Expr) })
	return r.value
}

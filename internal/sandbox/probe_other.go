//go:build !linux && !darwin

package sandbox

// mechanisms is empty: no mechanism of other kernels is supported.
var mechanisms []func() Mechanism

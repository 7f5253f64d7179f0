//go:build !linux && !darwin

package sandbox

// mechanisms is empty: nothing is known of other kernels.
var mechanisms []func() Mechanism

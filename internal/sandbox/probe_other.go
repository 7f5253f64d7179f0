//go:build !linux

package sandbox

import "context"

// probeKernel knows no mechanism of other kernels yet.
func probeKernel(context.Context) Report { return nil }

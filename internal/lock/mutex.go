//go:build !lockcheck

package lock

import "sync"

// A Mutex is a sync.Mutex.
type Mutex = sync.Mutex

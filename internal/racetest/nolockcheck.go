//go:build !lockcheck

package racetest

const lockcheck = false

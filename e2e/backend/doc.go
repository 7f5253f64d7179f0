// Package backend tests the built program with agents that run turns in its place: a scripted one, which is this test binary,
// and a real one from npm.
package backend

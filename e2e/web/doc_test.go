// Package web drives the web console of the built program with real browsers: tests of Node.js, with puppeteer.
package web

import (
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { transcript.Main(m) }

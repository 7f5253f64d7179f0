// Package web drives the web console of the built program with real browsers: tests of Node.js, with puppeteer.
package web

import (
	"os"
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { os.Exit(transcript.RemoveBuild(m.Run())) }

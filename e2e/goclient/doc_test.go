// Package goclient meets the built program with package client.
package goclient

import (
	"os"
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { os.Exit(transcript.RemoveBuild(m.Run())) }

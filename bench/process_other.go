//go:build !linux

package main

import (
	"errors"
	"time"
)

func cpu(int) (time.Duration, error) { return 0, errors.ErrUnsupported }

func pss(int) (int64, error) { return 0, errors.ErrUnsupported }

func resident(int) (now, peak int64, err error) { return 0, 0, errors.ErrUnsupported }

func forgetPeak(int) error { return errors.ErrUnsupported }

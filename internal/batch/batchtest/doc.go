// Package batchtest is the suite that every driver of batch.Store passes. It knows no driver.
package batchtest

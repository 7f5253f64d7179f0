// Package models is the command that lists models.
package models

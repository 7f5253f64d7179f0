// Package report is the figures: what they mean, what the design allows them, and how they are
// shown: as a table for users, as JSON for programs, and as a picture. It measures nothing.
package report

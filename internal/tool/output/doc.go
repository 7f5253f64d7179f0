// Package output keeps what commands write, in memory that does not grow with it, cuts it to what fits, and shows it live.
package output

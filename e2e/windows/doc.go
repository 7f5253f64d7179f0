// Package windows runs the program that is built for Windows, under Wine. Its tests are skipped where there is none.
package windows

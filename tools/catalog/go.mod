module parley.dev/parley/tools/catalog

go 1.26.6

require charm.land/catwalk v0.52.8

require github.com/charmbracelet/x/etag v0.2.0 // indirect

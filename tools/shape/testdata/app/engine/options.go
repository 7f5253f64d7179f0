package engine

type Options struct {
	Name  string
	Limit int
	Retry Retry
	Left  bool
	inner int
}

type Retry struct {
	Never bool
}

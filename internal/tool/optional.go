package tool

// An Optional is a Tool that not every session can have.
type Optional interface {
	Tool
	// Available says whether the tool can work in env. A model is not offered one that cannot.
	Available(env *Env) bool
}

// A Described is a Tool that can say more of itself where it works.
type Described interface {
	Tool
	// More stands behind the description in env; Markdown.
	More(env *Env) string
}

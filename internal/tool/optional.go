package tool

// An Optional is a Tool that not every session can have.
type Optional interface {
	Tool
	// Available says whether the tool can work in env. A model is not offered one that cannot.
	Available(env *Env) bool
}

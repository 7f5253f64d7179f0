package codex

// The tools whose calls are items of a type of their own.
const (
	toolShell  = "shell"
	toolWrite  = "write"
	toolEdit   = "edit"
	toolPatch  = "patch"
	toolSearch = "search"
	toolPlan   = "plan"
	toolTask   = "task"

	nameViewImage = "view_image" // as models call it
)

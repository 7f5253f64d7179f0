package pisces

import (
	"os"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/regular"
)

// compose returns what the model is sent for a message: the text that it stands for, its pictures,
// and the files that it mentions.
func (c *conn) compose(text string, images []message.Image) (engine.Prompt, error) {
	typed := text
	text = c.expand(typed)
	p := engine.Prompt{Text: text, Blank: true}
	for _, img := range images {
		decoded, err := img.Decoded()
		if err != nil {
			return p, err
		}
		p.Images = append(p.Images, decoded)
	}
	if text == "" && len(images) == 0 {
		p.Blocks = []model.Block{model.TextBlock("")} // a message may be empty
	}
	if m, found := c.mentioner().mentions(typed, text, c.cfg.Now().UnixMilli()); found {
		p.Notes = []event.Note{{Blocks: message.ModelBlocks(m), Sent: rawjson.Marshal(m)}}
	}
	return p, nil
}

// maxTemplate is how long a template of the user may be, in bytes.
const maxTemplate = 1 << 20

// skillPrefix stands before the name of a skill that a prompt begins with.
const skillPrefix = "skill:"

// expand returns the text that a prompt stands for: the instructions of a skill, or those of a
// file, where it names one.
func (c *conn) expand(prompt string) string {
	name, rest, ok := slashed(prompt)
	if name, isSkill := strings.CutPrefix(name, skillPrefix); ok && isSkill {
		if text, found := c.skillText(name); found {
			return strings.TrimSpace(text + "\n\n" + rest)
		}
	}
	return c.expander().expand(prompt)
}

func (c *conn) expander() expander {
	f := c.cfg.Flags
	return expander{
		folders: []string{filepath.Join(f.Cwd, f.Project), f.Agent},
		read: func(path string) ([]byte, error) {
			if rel, err := filepath.Rel(f.Cwd, path); err == nil && filepath.IsLocal(rel) {
				return dialect.ReadProject(f.Cwd, rel)
			}
			return regular.ReadFile(path, maxTemplate)
		},
		list: func(folder string) ([]string, error) {
			found, err := os.ReadDir(folder)
			var names []string
			for _, entry := range found {
				if !entry.IsDir() {
					names = append(names, entry.Name())
				}
			}
			return names, err
		},
	}
}

func (c *conn) mentioner() mentioner {
	return func(path string) (mentioned, error) {
		file, err := c.cfg.Host.OpenMentioned(c.session.eng.State().Dir(), c.absolute(path))
		if err != nil {
			return mentioned{}, err
		}
		info, err := file.Stat()
		if err != nil {
			file.Close()
			return mentioned{}, err
		}
		return mentioned{file, info.Size(), file.Inside}, nil
	}
}

// slashCommands returns what can stand after a slash (get_commands).
func (c *conn) slashCommands() Commands {
	commands := c.expander().commands()
	for _, s := range c.skills() {
		commands = append(commands, SlashCommand{skillPrefix + s.Name, s.Description, "skill"})
	}
	for _, e := range c.ext.commands() {
		commands = append(commands, SlashCommand{e.Name, e.Description, "extension"})
	}
	for _, p := range c.session.eng.Servers().Prompts() {
		commands = append(commands, SlashCommand{p.Name, p.Description, "prompt"})
	}
	return Commands{commands}
}

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/configfile"
	"parley.dev/parley/internal/regular"
)

// fromDefault is the source of a setting that nothing sets.
const fromDefault = "default"

// A Config is the settings in effect, and where each of them came from.
type Config struct {
	Settings
	File   string        // the path of the configuration file
	Exists bool          // whether there is such a file
	Grace  time.Duration // how long interrupted commands have to end; 0: as package sandbox has it
	// BackendFlag is Backend as a flag of the command line has chosen it: sessions that are opened have it, too. "": none did.
	BackendFlag string
	// KeyFiles are files with keys of the command line: no tool reads or writes them.
	KeyFiles []string

	fileFrom string            // what named File: default, or the name of a variable
	decoded  configfile.File   // as it was read
	sources  map[string]string // by setting: default, File, or the name of a variable
	named    named
}

// Defaults returns the settings where neither a file nor the environment sets any.
func Defaults(getenv func(string) string) Config {
	c := Config{File: Path(getenv), fileFrom: fromDefault, sources: map[string]string{}}
	for _, variable := range []string{"XDG_CONFIG_HOME", "PARLEY_CONFIG"} {
		if getenv(variable) != "" {
			c.fileFrom = variable
		}
	}
	c.Home = defaultHome(getenv)
	c.named.addState(c.Home)
	if runtime.GOOS != "windows" { // processes without XDG_STATE_HOME, such as services, have it there
		c.named.addState(standardHome(getenv))
	}
	c.PermissionMode, c.Log, c.Sandbox = approval.WorkspaceWrite, "warn", "auto"
	for _, v := range variables {
		c.sources[v.setting] = fromDefault
	}
	return c
}

// Load returns the defaults, changed by the file and then by the environment. The file need not exist.
// A setting that is unknown or has a value that cannot be used is an error that names the line or the
// variable; all of them are reported at once.
func Load(getenv func(string) string) (Config, error) {
	c := Defaults(getenv)
	if home, temporary := tempHome(getenv); temporary {
		if err := guardTempHome(home); err != nil {
			return c, fmt.Errorf("there is no HOME, and the folder in its place cannot be used: %w", err)
		}
	}
	if err := c.readFile(); err != nil {
		return c, err
	}
	c.named.addState(c.Home)
	for _, v := range variables {
		value := getenv(v.variable)
		if value == "" {
			continue
		}
		if err := v.set(&c.Settings, value); err != nil {
			return c, fmt.Errorf("%s: %w", v.variable, err)
		}
		c.sources[v.setting] = v.variable
	}
	c.named.addState(c.Home)
	c.named.setStore(c.StoreSettings)
	return c, c.check(getenv)
}

// maxConfig is the greatest size of the configuration, in bytes.
const maxConfig = 16 << 20

func (c *Config) readFile() error {
	if c.File == os.DevNull { // the usual name of no file
		return nil
	}
	data, err := regular.ReadFile(c.File, maxConfig)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, regular.ErrNotRegular) && isEmptyFolder(c.File) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	c.Exists = true
	if err := guardConfig(c.File); err != nil {
		return fmt.Errorf("the configuration cannot be used: %w", err)
	}
	c.decoded, err = configfile.Decode(c.File, data, &c.Settings, json.RejectUnknownMembers(true))
	for _, name := range c.decoded.Names() {
		c.sources[name] = c.File
	}
	return err
}

// isEmptyFolder reports whether path is a folder without entries. While a command runs whose sandbox includes the place of the file, one
// keeps it from making the file; a process that is killed leaves it there.
func isEmptyFolder(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) == 0
}

// check returns everything that is wrong with the values.
func (c *Config) check(getenv func(string) string) error {
	errs := c.checkWords()
	_, search := c.Searcher(getenv)
	servers, err := c.ServerMaps.settle(c.MCPServers)
	c.MCPServers, c.ServerMaps = servers, ServerMaps{}
	errs = append(errs, err, c.checkServers(), c.checkHooks(),
		checkFolders("trusted_folders", c.TrustedFolders), checkFolders("skills_paths", c.SkillsPaths),
		c.CheckStore(), c.Budget.check(), c.Subagents.check(), c.Host.check(), c.TUI.check(), c.Telemetry.check(), c.checkProviders(), search)
	errs = append(errs, c.checkBackends()...)
	for i, err := range errs {
		errs[i] = c.located(err)
	}
	return errors.Join(errs...)
}

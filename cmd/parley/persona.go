package main

import (
	"cmp"
	"os"
	"strings"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/scaiflux"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/provider"
)

// A persona is what a program of another name adds to the commands that it shares with parley.
type persona struct {
	getenv func(string) string
	// configure adds what the program's own files in the workspace and the home folder say;
	// nil: it has none.
	configure func(a *app.App, workspace string) error
	// examine checks those files; nil: there are none.
	examine func(workspace string) []finding
}

// ownPersona is parley under its own name.
var ownPersona = persona{getenv: os.Getenv}

// assemble is as assemble, for sessions in the workspace.
func (p persona) assemble(settings config.Config, workspace string) (*app.App, error) {
	a, err := assemble(settings)
	if err != nil || p.configure == nil {
		return a, err
	}
	if err := p.configure(a, workspace); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

var scaifluxPersona = persona{getenv: scaifluxEnv, configure: configureScaiflux, examine: examineScaiflux}

// configureScaiflux takes the model of the project, or else of the credentials, and the gateway,
// as serve does.
func configureScaiflux(a *app.App, workspace string) error {
	project, err := scaiflux.ReadProjectConfig(workspace)
	if err != nil {
		return err
	}
	credentials, err := scaiflux.ReadCredentials(config.HomeDir(os.Getenv), os.Getenv)
	useGateway(a, credentials, err)
	a.Hidden = []string{".scaiflux"}
	if name := cmp.Or(project.Model, credentials.Model); name != "" {
		a.Models.SetDefault(name)
	}
	return nil
}

// useGateway uses the gateway of the credentials. If they cannot be read, which err says, models of
// other providers can be called all the same.
func useGateway(a *app.App, credentials scaiflux.Credentials, err error) {
	if err != nil {
		a.Log.Warn("the credentials are not used", "error", err)
	}
	if credentials.BaseURL == "" || credentials.APIKey == "" {
		a.Models.Lacks(credentials.Lacking)
		return
	}
	a.Models.UseGateway(gatewayOf(credentials))
}

func gatewayOf(credentials scaiflux.Credentials) provider.Gateway {
	g := provider.Gateway{
		Name: "scaigrid", BaseURL: strings.TrimSuffix(credentials.BaseURL, "/") + scaiflux.InferencePath,
		Key: credentials.APIKey, Model: credentials.Model, Models: map[string]model.Info{},
	}
	for _, known := range credentials.Models {
		g.Models[known.ID] = model.Info{ContextWindow: known.ContextWindow, MaxOutput: known.MaxOutputTokens}
	}
	return g
}

func examineScaiflux(workspace string) []finding {
	project := finding{Check: ".scaiflux.json", OK: true, Detail: "can be read, or is not there", required: true}
	if _, err := scaiflux.ReadProjectConfig(workspace); err != nil {
		project.OK, project.Detail, project.Fix = false, err.Error(), "correct it: serve and prompt do not start until then"
	}
	login := finding{Check: "credentials", OK: true, Detail: "no gateway is configured", required: true}
	credentials, err := scaiflux.ReadCredentials(config.HomeDir(os.Getenv), os.Getenv)
	switch {
	case err != nil:
		login.OK, login.Detail, login.Fix = false, err.Error(), "correct or remove the file: only models of other providers can be called until then"
	case credentials.Lacking != "":
		login.OK, login.Detail, login.Fix = false, credentials.Lacking, "add what is missing, or remove the file and SCAIGRID_BASE_URL"
	case credentials.BaseURL != "":
		login.Detail = "gateway " + config.PlainURL(credentials.BaseURL)
	}
	return []finding{project, login}
}

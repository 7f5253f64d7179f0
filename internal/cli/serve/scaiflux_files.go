package serve

import (
	"cmp"
	"os"
	"strings"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/scaiflux"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/provider"
)

var scaifluxPersona = cli.Persona{Getenv: scaifluxEnv, Configure: configureScaiflux, Examine: examineScaiflux}

// configureScaiflux takes the model of the project, or else of the credentials, and the gateway,
// as serve does.
func configureScaiflux(a *app.App, workspace string) error {
	project, err := scaiflux.ReadProjectConfig(workspace)
	if err != nil {
		return err
	}
	credentials, err := scaiflux.ReadCredentials(config.HomeDir(os.Getenv), os.Getenv)
	adaptToScaiflux(a, credentials, err)
	if name := cmp.Or(project.Model, credentials.Model); name != "" {
		a.Models.SetDefault(name)
	}
	return nil
}

// adaptToScaiflux prepares the program for sessions of the protocol: it uses the gateway of the credentials, and hides the
// folder in which projects have keys.
func adaptToScaiflux(a *app.App, credentials scaiflux.Credentials, err error) {
	useGateway(a, credentials, err)
	a.Hidden = []string{".scaiflux"}
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

func examineScaiflux(workspace string) []cli.Finding {
	project := cli.Finding{Check: ".scaiflux.json", OK: true, Detail: "can be read, or is not there", Required: true}
	if _, err := scaiflux.ReadProjectConfig(workspace); err != nil {
		project.OK, project.Detail, project.Fix = false, err.Error(), "correct it: serve and prompt do not start until then"
	}
	login := cli.Finding{Check: "credentials", OK: true, Detail: "no gateway is configured", Required: true}
	credentials, err := scaiflux.ReadCredentials(config.HomeDir(os.Getenv), os.Getenv)
	switch {
	case err != nil:
		login.OK, login.Detail, login.Fix = false, err.Error(), "correct or remove the file: only models of other providers can be called until then"
	case credentials.Lacking != "":
		login.OK, login.Detail, login.Fix = false, credentials.Lacking, "add what is missing, or remove the file and SCAIGRID_BASE_URL"
	case credentials.BaseURL != "":
		login.Detail = "gateway " + config.PlainURL(credentials.BaseURL)
	}
	return []cli.Finding{project, login}
}

// Command device-plugin-loader says what NVIDIA's Kubernetes device plugin makes of configuration files.
//
// It reads a JSON list of cases from standard input and writes a JSON object of answers, by the cases' ids.
// A case has an id, the configuration file's bytes in base64, and the environment variables that the plugin's
// container would have. The plugin's own packages parse the file, apply the variables and drop what the plugin
// drops; the checks that follow are those of the plugin's main package, which cannot be imported.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	spec "github.com/NVIDIA/k8s-device-plugin/api/config/v1"
	"github.com/urfave/cli/v2"
	"k8s.io/klog/v2"
)

type testCase struct {
	ID          string            `json:"id"`
	File        []byte            `json:"file"`
	Environment map[string]string `json:"environment"`
}

type answer struct {
	Accepted bool         `json:"accepted"`
	Message  string       `json:"message,omitempty"`
	Warnings []string     `json:"warnings,omitempty"`
	Config   *spec.Config `json:"config,omitempty"`
	Strategy string       `json:"strategy,omitempty"`
}

// The flags of the plugin that a configuration file can set, with the plugin's defaults.
func flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "mig-strategy", Value: spec.MigStrategyNone, EnvVars: []string{"MIG_STRATEGY"}},
		&cli.BoolFlag{Name: "fail-on-init-error", Value: true, EnvVars: []string{"FAIL_ON_INIT_ERROR"}},
		&cli.StringFlag{Name: "driver-root", Value: "/", EnvVars: []string{"NVIDIA_DRIVER_ROOT"}},
		&cli.StringFlag{Name: "dev-root", EnvVars: []string{"NVIDIA_DEV_ROOT"}},
		&cli.BoolFlag{Name: "pass-device-specs", EnvVars: []string{"PASS_DEVICE_SPECS"}},
		&cli.StringSliceFlag{
			Name:    "device-list-strategy",
			Value:   cli.NewStringSlice(spec.DeviceListStrategyEnvVar),
			EnvVars: []string{"DEVICE_LIST_STRATEGY"},
		},
		&cli.StringFlag{Name: "device-id-strategy", Value: spec.DeviceIDStrategyUUID, EnvVars: []string{"DEVICE_ID_STRATEGY"}},
		&cli.BoolFlag{Name: "gdrcopy-enabled", EnvVars: []string{"GDRCOPY_ENABLED"}},
		&cli.BoolFlag{Name: "gds-enabled", EnvVars: []string{"GDS_ENABLED"}},
		&cli.BoolFlag{Name: "mofed-enabled", EnvVars: []string{"MOFED_ENABLED"}},
		&cli.StringFlag{Name: "cdi-annotation-prefix", Value: spec.DefaultCDIAnnotationPrefix},
		&cli.StringFlag{Name: "nvidia-ctk-path", Value: spec.DefaultNvidiaCTKPath},
		&cli.StringFlag{Name: "container-driver-root", Value: spec.DefaultContainerDriverRoot},
		&cli.StringFlag{Name: "mps-root", EnvVars: []string{"MPS_ROOT"}},
		&cli.StringFlag{Name: "device-discovery-strategy", Value: "auto", EnvVars: []string{"DEVICE_DISCOVERY_STRATEGY"}},
		&cli.StringFlag{Name: "config-file"},
	}
}

// load is what the plugin does with its configuration file before it looks for devices.
func load(file string) (*spec.Config, error) {
	var config *spec.Config
	app := cli.NewApp()
	app.Flags = flags()
	app.Action = func(c *cli.Context) error {
		var err error
		config, err = spec.NewConfig(c, app.Flags)
		return err
	}
	if err := app.Run([]string{"loader", "--config-file", file}); err != nil {
		return nil, err
	}
	config.Flags.GFD = nil
	spec.DisableResourceNamingInConfig(config)
	return config, check(config)
}

// check judges flags and sharing in the order of the plugin. A node with GPUs has NVML, so that is not asked.
func check(config *spec.Config) error {
	plugin := config.Flags.Plugin
	if _, err := spec.NewDeviceListStrategies(*plugin.DeviceListStrategy); err != nil {
		return fmt.Errorf("device-list-strategy: %w", err)
	}
	if err := oneOf("device-id-strategy", *plugin.DeviceIDStrategy, "uuid", "index"); err != nil {
		return err
	}
	if config.Sharing.SharingStrategy() == spec.SharingStrategyMPS {
		if *config.Flags.MigStrategy == spec.MigStrategyMixed {
			return fmt.Errorf("mig-strategy: mixed is not supported with MPS")
		}
		if *config.Flags.MpsRoot == "" {
			return fmt.Errorf("mps-root: MPS requires one")
		}
	}
	if err := oneOf("device-discovery-strategy", *config.Flags.DeviceDiscoveryStrategy, "auto", "nvml", "tegra"); err != nil {
		return err
	}
	if err := oneOf("mig-strategy", *config.Flags.MigStrategy, "none", "single", "mixed"); err != nil {
		return err
	}
	return spec.AssertChannelIDsValid(config.Imex.ChannelIDs)
}

func oneOf(name, value string, allowed ...string) error {
	for _, candidate := range allowed {
		if value == candidate {
			return nil
		}
	}
	return fmt.Errorf("%s: %q is none of %v", name, value, allowed)
}

func judge(one testCase, folder string) answer {
	for name, value := range one.Environment {
		os.Setenv(name, value)
		defer os.Unsetenv(name)
	}
	file := filepath.Join(folder, "config.yaml")
	if err := os.WriteFile(file, one.File, 0o600); err != nil {
		panic(err)
	}
	var logged bytes.Buffer
	klog.SetOutput(&logged)
	config, err := load(file)
	klog.Flush()
	made := answer{Accepted: err == nil}
	for _, line := range bytes.Split(bytes.TrimSpace(logged.Bytes()), []byte("\n")) {
		_, text, found := bytes.Cut(line, []byte("] "))
		if found && !slices.Contains(made.Warnings, string(text)) { // a warning is logged with the notes again
			made.Warnings = append(made.Warnings, string(text))
		}
	}
	if err != nil {
		made.Message = err.Error()
	} else {
		made.Config, made.Strategy = config, string(config.Sharing.SharingStrategy())
	}
	return made
}

func main() {
	options := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(options)
	_ = options.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL"})
	var cases []testCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	folder, err := os.MkdirTemp("", "device-plugin-loader")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	answers := map[string]answer{}
	for _, one := range cases {
		answers[one.ID] = judge(one, folder)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", " ")
	if err := out.Encode(answers); err != nil {
		panic(err)
	}
}

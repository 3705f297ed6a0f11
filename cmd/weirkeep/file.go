package main

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/pflag"
)

// standardFiles are where a configuration is looked for when none is named.
var standardFiles = []string{"./weirkeep.yaml", "/etc/weirkeep/weirkeep.yaml"}

// errNoFile is that there is none.
var errNoFile = &failure{
	status: exitConfig,
	code:   "E101",
	err:    errors.New("no configuration: looked for " + strings.Join(standardFiles, " and ")),
	hint:   "weirkeep init weirkeep.yaml   or   weirkeep serve --demo",
}

// fileFlag is -c, the same for every command that has it.
func fileFlag(f *pflag.FlagSet, file *string) {
	f.StringVarP(file, "config", "c", "", "configuration `FILE` (default "+strings.Join(standardFiles, ", else ")+")")
}

// findFile returns the named file, or the first of the standard ones that there is.
func findFile(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	for _, f := range standardFiles {
		if _, err := os.Lstat(f); err == nil {
			return strings.TrimPrefix(f, "./"), nil
		}
	}
	return "", errNoFile
}

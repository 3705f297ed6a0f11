package deploy

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// instruction is a line of a container file.
type instruction struct{ name, args string }

// readContainerfile reads the instructions of every stage.
func readContainerfile(t *testing.T) (stages [][]instruction) {
	t.Helper()
	for line := range strings.Lines(read(t, "Containerfile")) {
		name, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "" || name[0] == '#' {
			continue
		}
		if name == "FROM" {
			stages = append(stages, nil)
		}
		if len(stages) == 0 || strings.ToUpper(name) != name || args == "" {
			t.Fatalf("this is no instruction of a stage: %s", line)
		}
		last := len(stages) - 1
		stages[last] = append(stages[last], instruction{name, args})
	}
	return stages
}

// all are the arguments of the instructions of a name.
func all(stage []instruction, name string) (args []string) {
	for _, i := range stage {
		if i.name == name {
			args = append(args, i.args)
		}
	}
	return args
}

// words are the arguments of an instruction in its form that needs no shell.
func words(t *testing.T, args string) (words []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(args), &words); err != nil {
		t.Errorf("%s is no list of words: %v; there is no shell in the image", args, err)
	}
	return words
}

// The image has the static program and nothing that could be run besides it, and
// no root.
func TestContainer(t *testing.T) {
	stages := readContainerfile(t)
	if len(stages) != 2 {
		t.Fatalf("%d stages, want one that builds and one that runs", len(stages))
	}
	build, image := stages[0], stages[1]
	if got := all(image, "FROM"); !slices.Equal(got, []string{"scratch"}) || len(all(image, "RUN")) != 0 {
		t.Errorf("the image is from %v and runs %v in it", got, all(image, "RUN"))
	}
	if run := strings.Join(all(build, "RUN"), "\n"); !strings.Contains(run, "make static") {
		t.Errorf("the program is not built by make static, which makes it static: %s", run)
	}
	user, _, _ := strings.Cut(all(image, "USER")[0], ":")
	if id, err := strconv.Atoi(user); err != nil || id == 0 {
		t.Errorf("the user is %q, want a number, and not root's", user)
	}
	if got := all(image, "STOPSIGNAL"); !slices.Equal(got, []string{"SIGTERM"}) {
		t.Errorf("it is stopped by %v, want SIGTERM, which drains", got)
	}
	if got := all(image, "EXPOSE"); !slices.Equal(got, []string{"8080 8443"}) {
		t.Errorf("it exposes %v", got)
	}
	if got := words(t, all(image, "ENTRYPOINT")[0]); !slices.Equal(got, []string{"/usr/bin/weirkeep"}) {
		t.Errorf("the entry point is %v", got)
	}
	if got := words(t, all(image, "CMD")[0]); !slices.Equal(got, []string{"serve", "-c", "/etc/weirkeep/weirkeep.yaml"}) {
		t.Errorf("it runs %v", got)
	}
}

// A gateway that is alive stays, though it is not ready: an outage of all origins is
// not mended by another gateway.
func TestContainerHealthCheck(t *testing.T) {
	check := all(readContainerfile(t)[1], "HEALTHCHECK")
	if len(check) != 1 {
		t.Fatalf("health checks: %v, want one", check)
	}
	_, command, found := strings.Cut(check[0], " CMD ")
	got := words(t, command)
	want := []string{"/usr/bin/weirkeep", "health", "--live", "-q", "-c", "/etc/weirkeep/weirkeep.yaml"}
	if !found || !slices.Equal(got, want) {
		t.Errorf("the health check is %s, want %v", check[0], want)
	}
}

// What is copied from the first stage is made there, for the user that needs it.
func TestContainerCopies(t *testing.T) {
	copies := strings.Join(all(readContainerfile(t)[1], "COPY"), "\n")
	for _, want := range []string{"/src/bin/weirkeep /usr/bin/weirkeep", "/etc/ssl/certs/ca-certificates.crt", "--chown=65532:65532 /state /var/lib/weirkeep"} {
		if !strings.Contains(copies, want) {
			t.Errorf("%q is not copied: %s", want, copies)
		}
	}
}

// The image is built by the Go that the module asks for.
func TestContainerGoIsTheModules(t *testing.T) {
	asked := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "../../../go.mod"))
	if from := all(readContainerfile(t)[0], "FROM"); len(asked) != 2 || from[0] != "golang:"+asked[1]+" AS build" {
		t.Errorf("built from %v, the module asks for Go %v", from, asked)
	}
}

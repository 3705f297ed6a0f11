package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// MaxFound is how many origins are taken from one place where they are found: so many
// a cluster can have (D-WL-20).
const MaxFound = 800

// LoadOrigins reads a file that discover names. One that ends in .yaml, .yml or .json
// holds a list, each entry an address or what an origin has in a configuration; any
// other file one address a line, and comments from # on. An empty list is none; a
// file with nothing in it is a mistake, as it may not be written yet. What an entry
// does not say is left empty: see [Cluster.Complete].
func LoadOrigins(path string) ([]Origin, Problems) {
	l := newLoader(thisMachine)
	data, err := l.host.read(path, maxFileBytes)
	if err != nil {
		return nil, Problems{problemAt(span{}, Error, "E101", "cannot read "+path+": "+why(err), "")}
	}
	// Who writes it need not be who may read this machine's secrets.
	l.host.env = func(string) (string, bool) { return "", false }
	l.host.read = func(string, int64) ([]byte, error) { return nil, errors.New("not from here") }
	src, text := newSource(path, filepath.Dir(path), 1, data)
	r := &foundReader{reader: &reader{loader: l, src: src, aliases: map[*ast.AliasNode]ast.Node{}}, places: map[string]span{}}
	if slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
		r.readList(text)
	} else {
		r.readLines()
	}
	r.check()
	l.problems.Sort()
	if l.problems.Errors() > 0 {
		return nil, l.problems
	}
	return r.found, nil
}

// foundReader reads one file of origins.
type foundReader struct {
	*reader
	found  []Origin
	places map[string]span // of names and addresses that were seen
}

// readList reads YAML or JSON.
func (r *foundReader) readList(text string) {
	body, f := r.src.parse(text)
	switch {
	case f != nil:
		r.add(f.at, Error, f.code, f.message, f.hint)
	case body == nil:
		r.empty("write [] if there are none")
	default:
		r.body = body
		r.cfg.places[""] = place{value: r.src.top()}
		r.anchors()
		r.value(body, reflect.ValueOf(&r.found).Elem(), "origins", rules{short: "address"})
	}
}

func (r *foundReader) empty(hint string) {
	r.add(r.src.top(), Error, "E101", "the file holds no origins", hint)
}

// readLines reads one address a line.
func (r *foundReader) readLines() {
	for i, line := range r.src.lines {
		text, _, _ := strings.Cut(line, "#")
		address := strings.TrimSpace(text)
		if address == "" {
			continue
		}
		at := r.src.clamp(i+1, strings.Index(line, address)+1, len(address))
		path := index("origins", len(r.found))
		r.cfg.places[path] = place{value: at}
		if reason := grammarOrigin(address); reason != "" {
			r.fail(path, "E112", fmt.Sprintf("%s %s", quote(address), reason), slashHint(address))
		}
		r.found = append(r.found, Origin{Address: address})
	}
	if len(r.found) == 0 && len(r.problems) == 0 {
		r.empty("a list with no origins is a file that ends in .yaml and holds []")
	}
}

// check takes addresses apart, and refuses what is there twice.
func (r *foundReader) check() {
	if len(r.found) > MaxFound {
		r.add(r.src.top(), Error, "E109", fmt.Sprintf("more than %d origins", MaxFound), "")
		return
	}
	for i := range r.found {
		o, path := &r.found[i], index("origins", i)
		if o.Address == "" && !r.anyBad(path) {
			r.fail(path, "E106", path+" has no address", "")
		}
		if o.Address == "" || r.anyBad(path) {
			continue
		}
		o.Scheme, o.HostPort, _ = splitOrigin(o.Address)
		if !strings.Contains(o.Address, "://") {
			o.Scheme, o.Address = "", "" // as the cluster's template has it
		}
		r.once(path, "address", o.HostPort)
		r.once(path, "name", o.Name)
	}
}

// once refuses a name or an address that an earlier origin has.
func (r *foundReader) once(path, what, text string) {
	at := r.cfg.places.at(path).span()
	first, again := r.places[what+" "+text]
	switch {
	case text == "":
	case again:
		r.fail(path, "E206", fmt.Sprintf("the %s %s is there twice, first in line %d", what, text, first.line), "")
	default:
		r.places[what+" "+text] = at
	}
}

package websphere

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxElements and maxElementDepth bound an XML file.
const (
	maxElements     = 100_000
	maxElementDepth = 100
)

// An element is one of an XML file. Names count without their prefix and in any
// case.
type element struct {
	name         string // in lower case
	attributes   []field
	children     []*element
	text         string // of its own, joined
	source       string // as it stands in the file
	line, column int
}

// tree reads an XML file.
type tree struct {
	decoder *xml.Decoder
	source  string
	count   int   // elements so far
	here    place // of the token that is read next
}

// A place is where something stands in a file.
type place struct {
	offset       int64
	line, column int // from 1; columns are characters
}

// next reads a token, and says where it begins.
func (t *tree) next() (xml.Token, place, error) {
	begin := t.here
	token, err := t.decoder.Token()
	end := t.decoder.InputOffset()
	if err != nil {
		return nil, begin, t.mistake(err, begin)
	}
	text := t.source[begin.offset:end]
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		t.here.line += strings.Count(text, "\n")
		t.here.column, text = 1, text[i+1:]
	}
	t.here.column += utf8.RuneCountInString(text)
	t.here.offset = end
	return token, begin, nil
}

// readXML reads rules.xml, or the rules of a server.xml.
func readXML(text string) (*reading, error) {
	text, err := decoded(text)
	if err != nil {
		return nil, err
	}
	t := &tree{decoder: xml.NewDecoder(strings.NewReader(text)), source: text, here: place{line: 1, column: 1}}
	t.decoder.CharsetReader = asIs
	root, err := t.document()
	if err != nil {
		return nil, err
	}
	var r reading
	r.find(root, scope{})
	return &r, nil
}

// declared is the encoding that an XML file names in its first line.
var declared = regexp.MustCompile(`^\s*<\?xml[^>]*encoding\s*=\s*["']([^"']*)["']`)

// decoded is the file in UTF-8, so that places in it are those of the decoder.
func decoded(text string) (string, error) {
	m := declared.FindStringSubmatch(text)
	if m == nil {
		return text, nil
	}
	switch strings.ToLower(m[1]) {
	case "utf-8", "us-ascii", "ascii":
		return text, nil
	case "iso-8859-1", "latin1":
		runes := make([]rune, len(text))
		for i := range len(text) {
			runes[i] = rune(text[i])
		}
		return string(runes), nil
	}
	return "", &FileError{Line: 1, Column: 1, Message: fmt.Sprintf("the encoding %q is not read; save the file as UTF-8", m[1])}
}

// asIs takes the encoding that is named for the one that decoded has made.
func asIs(_ string, in io.Reader) (io.Reader, error) { return in, nil }

// document reads the file's one element.
func (t *tree) document() (root *element, err error) {
	for {
		token, at, err := t.next()
		switch {
		case err == io.EOF && root != nil:
			return root, nil
		case err == io.EOF:
			return nil, at.error("the file is not XML: it has no element")
		case err != nil:
			return nil, err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if root != nil {
			return nil, at.error("the file has two elements beside each other, and XML takes one")
		}
		if root, err = t.element(start, at, 0); err != nil {
			return nil, err
		}
	}
}

// element reads one whose start has been read, to its end.
func (t *tree) element(start xml.StartElement, at place, depth int) (*element, error) {
	t.count++
	if depth > maxElementDepth || t.count > maxElements {
		return nil, at.error(fmt.Sprintf("the file is too large: more than %d elements, or nested more than %d deep", maxElements, maxElementDepth))
	}
	e := &element{name: strings.ToLower(start.Name.Local), attributes: attributes(start), line: at.line, column: at.column}
	for {
		token, begin, err := t.next()
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.CharData:
			e.text += string(token)
		case xml.StartElement:
			child, err := t.element(token, begin, depth+1)
			if err != nil {
				return nil, err
			}
			e.children = append(e.children, child)
		case xml.EndElement:
			e.source = t.source[at.offset:t.here.offset]
			return e, nil
		}
	}
}

// attributes are those of an element that say something.
func attributes(start xml.StartElement) (all []field) {
	for _, a := range start.Attr {
		if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" && a.Name.Local != "schemaLocation" {
			all = append(all, field{attributeName(a.Name), a.Value})
		}
	}
	return all
}

// attributeName is an attribute's name as people write it. The prefix xmi is
// bookkeeping.
func attributeName(n xml.Name) string {
	if n.Space == "xmi" || strings.HasSuffix(n.Space, "/XMI") {
		return "xmi:" + n.Local
	}
	return n.Local
}

// mistake is what is wrong with the XML, with its place as near as it is known.
func (t *tree) mistake(err error, at place) error {
	var s *xml.SyntaxError
	switch {
	case errors.As(err, &s):
		if s.Line != at.line {
			at = place{line: s.Line, column: 1}
		}
		return at.error("the file is not XML: " + s.Msg)
	case errors.Is(err, io.EOF):
		return err // where it may end
	}
	return at.error(err.Error())
}

func (p place) error(message string) *FileError {
	return &FileError{Line: p.line, Column: p.column, Message: message}
}

// scope is what elements around a rule say of it.
type scope struct {
	override bool
	cell     string
}

// ruleElements are the elements that are rules; they are told from those that
// hold rules by what they say.
var ruleElements = []string{"rule", "routingrule", "matchrule", "matchrules", "rules"}

// find looks for rules and properties in an element and what is below it.
func (r *reading) find(e *element, s scope) {
	if slices.Contains(ruleElements, e.name) && (e.has("expression") || e.has("order") || e.has("action")) {
		r.rule(e, s)
		return
	}
	s = r.around(e, s)
	for _, c := range e.children {
		r.find(c, s)
	}
}

// has reports whether an element says something by an attribute or a child.
func (e *element) has(name string) bool {
	for _, a := range e.attributes {
		if fieldNames[strings.ToLower(a.name)] == name {
			return true
		}
	}
	return slices.ContainsFunc(e.children, func(c *element) bool {
		return fieldNames[c.name] == name || name == "action" && actionOf(c.name) != ""
	})
}

// around reads what an element says of the rules in it.
func (r *reading) around(e *element, s scope) scope {
	name, value := "", ""
	for _, a := range e.attributes {
		switch strings.ToLower(a.name) {
		case "name":
			name = a.value
		case "value":
			value = a.value
		case "webservers":
			r.server(e, a.value)
		case "overrideaffinity":
			s.override = strings.EqualFold(a.value, "true")
		case "cell", "cellname", "collective":
			s.cell = a.value
		case "routingrulesconnectorclustername":
			r.authority = a.value
		}
	}
	switch {
	case e.name == "property":
		r.property(name, value)
	case e.name == "connectorcluster" && name != "":
		r.cells = append(r.cells, name)
	}
	return s
}

// server notes rules that are for some web servers only.
func (r *reading) server(e *element, servers string) {
	if servers != "*" && servers != "" {
		r.findings = append(r.findings, Finding{Line: e.line, Column: e.column, Code: codeMeaning,
			Message: "the rules are for the web servers " + servers + ", and those written are for every node that reads them"})
	}
}

// dedented is an element's source as if it began at the left.
func (e *element) dedented() string {
	lines := strings.Split(e.source, "\n")
	for i, l := range lines[1:] {
		blanks := len(l) - len(strings.TrimLeft(l, " \t"))
		lines[i+1] = l[min(blanks, e.column-1):]
	}
	return strings.Join(lines, "\n")
}

func (r *reading) rule(e *element, s scope) {
	d := &draft{line: e.line, column: e.column, original: e.dedented()}
	d.element(e)
	if _, said := d.get("override"); s.override && !said {
		d.add("overrideAffinity", "true")
	}
	if _, said := d.get("cell"); s.cell != "" && !said {
		d.add("cell", s.cell)
	}
	r.drafts = append(r.drafts, d)
}

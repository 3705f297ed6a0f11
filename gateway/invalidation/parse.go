package invalidation

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Parse reads a message. The error is for people, and says where the message is wrong.
func Parse(text []byte) (*Message, error) {
	switch {
	case len(text) > MaxBytes:
		return nil, fmt.Errorf("the message has %d bytes, at most %d are read", len(text), MaxBytes)
	case len(bytes.TrimSpace(text)) == 0:
		return nil, errors.New("the message is empty")
	case strings.ContainsRune(" \t\r\n", rune(text[0])):
		return nil, errors.New("white space stands before the XML declaration")
	}
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict = true
	root, err := readTree(d)
	if err != nil {
		line, column := d.InputPos()
		return nil, fmt.Errorf("line %d, column %d: %w", line, column, err)
	}
	return root.message()
}

// element is an element of a message.
type element struct {
	name       string
	attributes map[string]string
	children   []*element
}

// tree is a document that is being read.
type tree struct {
	root  *element
	open  []*element
	parts int
}

// readTree reads the one element of a document, within the bounds.
func readTree(d *xml.Decoder) (*element, error) {
	var doc tree
	for {
		t, err := d.Token()
		switch {
		case err == io.EOF && doc.root == nil:
			return nil, errors.New("there is no element")
		case err == io.EOF:
			return doc.root, nil
		case err != nil:
			return nil, err
		}
		if err := doc.add(t); err != nil {
			return nil, err
		}
	}
}

func (doc *tree) add(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		return doc.begin(t)
	case xml.EndElement:
		doc.open = doc.open[:len(doc.open)-1]
	case xml.CharData:
		if text := bytes.TrimSpace(t); len(text) > 0 {
			return fmt.Errorf("text stands between elements: %.20q", text)
		}
	case xml.Directive:
		if doc.root != nil || bytes.ContainsRune(t, '[') || !bytes.HasPrefix(t, []byte("DOCTYPE")) {
			return errors.New("it declares more than the name of a document type, which is not read")
		}
	}
	return nil
}

// begin begins an element, in the one that is open.
func (doc *tree) begin(t xml.StartElement) error {
	if doc.parts++; doc.parts > maxParts || len(doc.open) == maxDepth {
		return fmt.Errorf("it has more than %d elements, or they stand more than %d deep", maxParts, maxDepth)
	}
	e, err := newElement(t)
	switch {
	case err != nil:
		return err
	case len(doc.open) > 0:
		parent := doc.open[len(doc.open)-1]
		parent.children = append(parent.children, e)
	case doc.root != nil:
		return fmt.Errorf("%s stands behind the end of %s", e.name, doc.root.name)
	default:
		doc.root = e
	}
	doc.open = append(doc.open, e)
	return nil
}

func newElement(t xml.StartElement) (*element, error) {
	e := &element{name: t.Name.Local, attributes: make(map[string]string, len(t.Attr))}
	for _, a := range t.Attr {
		if _, twice := e.attributes[a.Name.Local]; twice {
			return nil, fmt.Errorf("%s has %s twice", e.name, a.Name.Local)
		}
		if len(a.Value) > maxValue {
			return nil, fmt.Errorf("%s of %s has %d bytes, at most %d are read", a.Name.Local, e.name, len(a.Value), maxValue)
		}
		e.attributes[a.Name.Local] = a.Value
	}
	return e, nil
}

// check refuses what an element cannot have: a mistake there would select too much.
func (e *element) check(attributes, children string) error {
	for name := range e.attributes {
		if !listed(attributes, name) {
			return fmt.Errorf("%s has no attribute %s; there is %s", e.name, name, attributes)
		}
	}
	for _, c := range e.children {
		if !listed(children, c.name) {
			return fmt.Errorf("%s has no element %s", e.name, c.name)
		}
	}
	return nil
}

func listed(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// message is what the root element says.
func (e *element) message() (*Message, error) {
	m := &Message{}
	var err error
	switch e.name {
	case "INVALIDATION":
		err = errors.Join(e.check("VERSION", "SYSTEM OBJECT"), m.objects(e))
	case "INVALIDATIONPREVIEW":
		m.Preview = true
		err = errors.Join(e.check("VERSION STARTNUM MAXNUM", "SYSTEM BASICSELECTOR ADVANCEDSELECTOR"), m.preview(e))
	default:
		return nil, fmt.Errorf("the message is %s; there is INVALIDATION and INVALIDATIONPREVIEW", e.name)
	}
	if v := e.attributes["VERSION"]; v != Version {
		err = errors.Join(err, fmt.Errorf("the version is %q; there is %s", v, Version))
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// objects reads those of an invalidation.
func (m *Message) objects(e *element) error {
	for _, c := range e.children {
		if c.name != "OBJECT" {
			continue
		}
		o, err := c.object()
		if err != nil {
			return fmt.Errorf("object %d: %w", len(m.Objects)+1, err)
		}
		if m.Objects = append(m.Objects, o); len(m.Objects) > MaxObjects {
			return fmt.Errorf("there are more than %d objects", MaxObjects)
		}
	}
	if len(m.Objects) == 0 {
		return errors.New("there is no OBJECT")
	}
	return nil
}

// preview reads the one selector of a preview.
func (m *Message) preview(e *element) (err error) {
	o, err := e.object()
	if err != nil {
		return err
	}
	m.Objects = []Object{o}
	if m.Start, err = e.number("STARTNUM", 0); err != nil {
		return err
	}
	m.Max, err = e.number("MAXNUM", maxListed)
	m.Max = min(m.Max, maxListed)
	return err
}

// number is a whole number of an attribute; absent: it is otherwise.
func (e *element) number(name string, otherwise int) (int, error) {
	text, there := e.attributes[name]
	if !there || text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s of %s is %q, must be a whole number from 0", name, e.name, text)
	}
	return int(n), nil
}

// object reads a selector, and what is done with it.
func (e *element) object() (o Object, err error) {
	selectors := 0
	for _, c := range e.children {
		switch c.name {
		case "BASICSELECTOR", "ADVANCEDSELECTOR":
			selectors++
			o.Selector, err = c.selector()
		case "ACTION":
			o.Removal, err = c.removal()
		case "INFO":
			o.Info, err = c.attributes["VALUE"], c.check("VALUE", "")
		case "SYSTEM":
		default:
			err = fmt.Errorf("%s has no element %s", e.name, c.name)
		}
		if err != nil {
			return o, err
		}
	}
	if selectors != 1 {
		return o, fmt.Errorf("it has %d selectors, must have one", selectors)
	}
	return o, nil
}

// removal is how long what is invalid may still be used.
func (e *element) removal() (time.Duration, error) {
	if err := e.check("REMOVALTTL", ""); err != nil {
		return 0, err
	}
	n, err := e.number("REMOVALTTL", 0)
	return min(time.Duration(n)*time.Second, maxRemoval), err
}

func (e *element) selector() (s Selector, err error) {
	if e.name == "BASICSELECTOR" {
		s.Basic = true
		s.Host, s.URI = cutHost(e.attributes["URI"])
		if err := e.check("URI", ""); err != nil {
			return s, err
		}
		return s, mustBePath("URI", s.URI)
	}
	if err := e.check("URIPREFIX URIEXP HOST METHOD BODYEXP", "COOKIE HEADER OTHER"); err != nil {
		return s, err
	}
	s.Host, s.Prefix = cutHost(e.attributes["URIPREFIX"])
	if host := e.attributes["HOST"]; host != "" {
		s.Host = host
	}
	s.Method, s.Body = e.attributes["METHOD"], e.attributes["BODYEXP"]
	if s.Exp, err = expression("URIEXP", e.attributes["URIEXP"]); err != nil {
		return s, err
	}
	for _, c := range e.children {
		if err := s.addCondition(c); err != nil {
			return s, err
		}
	}
	return s, mustBePath("URIPREFIX", s.Prefix)
}

// mustBePath refuses URIs that no path is, which an empty one is not either: what begins
// with nothing is everything.
func mustBePath(name, path string) error {
	if !strings.HasPrefix(path, "/") {
		return fmt.Errorf("%s must be a path, or a whole URL: / is everything", name)
	}
	return nil
}

// cutHost takes the host out of a whole URL.
func cutHost(uri string) (host, path string) {
	scheme, rest, whole := strings.Cut(uri, "://")
	if !whole || strings.Contains(scheme, "/") {
		return "", uri
	}
	host, path, found := strings.Cut(rest, "/")
	if !found {
		return host, "/"
	}
	return host, "/" + path
}

// expression compiles a regular expression; nil: it is empty.
func expression(name, text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	exp, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return exp, nil
}

// addCondition adds a cookie, a header field, or another condition.
func (s *Selector) addCondition(e *element) error {
	name, value := e.attributes["NAME"], e.attributes["VALUE"]
	switch e.name {
	case "COOKIE":
		s.Cookies = append(s.Cookies, Pair{name, value})
	case "HEADER":
		s.Headers = append(s.Headers, Pair{strings.ToLower(name), value})
	case "OTHER":
		return errors.Join(e.check("NAME TYPE VALUE", ""), s.addOther(name, e.attributes["TYPE"], value))
	}
	if name == "" {
		return fmt.Errorf("%s has no NAME", e.name)
	}
	return e.check("NAME VALUE", "")
}

func (s *Selector) addOther(name, kind, value string) (err error) {
	o := Other{Name: name, Value: value, kind: kind}
	switch {
	case !listed("URI BODY QUERYSTRING_PARAMETER SEARCHKEY", name):
		return fmt.Errorf("NAME of OTHER is %q, must be URI, BODY, QUERYSTRING_PARAMETER or SEARCHKEY", name)
	case kind == "REGEX":
		if o.Regex, err = expression("VALUE of OTHER", value); err != nil {
			return err
		}
	case kind != "SUBSTRING":
		return fmt.Errorf("TYPE of OTHER is %q, must be SUBSTRING or REGEX", kind)
	}
	if value == "" {
		return errors.New("OTHER has no VALUE")
	}
	s.Others = append(s.Others, o)
	return nil
}

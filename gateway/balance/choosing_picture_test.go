package balance

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The picture: two panels side by side, each with the loads from left to right and
// p99 from bottom to top, in powers of ten.
const (
	panelWidth  = 250 // of the lines
	panelHeight = 300
	panelStep   = 450 // from one panel to the next, with the names of lines between
	panelLeft   = 60
	panelTop    = 50
	fastest     = 300.0   // ms, at the bottom
	slowest     = 20000.0 // ms, at the top
	nameHeight  = 15
)

// pictureHead has colours that can be read on white and on black, for people who
// see red and green alike as well, and a background for neither.
const pictureHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 940 420" font-family="sans-serif" font-size="12" role="img" aria-labelledby="title">
<title id="title">p99 by load and balancer: origins of different size, and one slow origin</title>
<style>
text { fill: #444 } .title { font-size: 14px; font-weight: bold } .grid { stroke: #888; stroke-opacity: .35 }
.line { fill: none; stroke-width: 2 } .lead { fill: none; stroke-opacity: .5 }
.load { stroke: #0072b2 } .times { stroke: #009e73 } .told { stroke: #c77800 } .blind { stroke: #b0609a } .key { stroke: #808080 }
text.load, text.times, text.told, text.blind, text.key { stroke: none }
text.load { fill: #0072b2 } text.times { fill: #00805d } text.told { fill: #a86500 } text.blind { fill: #a0508a } text.key { fill: #707070 }
@media (prefers-color-scheme: dark) {
text { fill: #ccc } .load { stroke: #56b4e9 } .told { stroke: #e69f00 } .blind { stroke: #d890c0 } .key { stroke: #aaa }
text.load { fill: #56b4e9 } text.times { fill: #20c090 } text.told { fill: #e69f00 } text.blind { fill: #d890c0 } text.key { fill: #aaa }
}
</style>
`

func (c choosing) picture() []byte {
	var b strings.Builder
	b.WriteString(pictureHead)
	for i, name := range []string{"skewed", "one slow"} {
		fmt.Fprintf(&b, "<g transform=\"translate(%d %d)\">\n", panelLeft+i*panelStep, panelTop)
		fmt.Fprintf(&b, "<text class=\"title\" y=\"-20\">p99, %s</text>\n", name)
		drawGrid(&b)
		drawLines(&b, c[name])
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

func drawGrid(b *strings.Builder) {
	for _, ms := range []float64{300, 500, 1000, 2000, 5000, 10000, 20000} {
		fmt.Fprintf(b, "<path class=\"grid\" d=\"M0 %dH%d\"/><text x=\"-8\" y=\"%d\" text-anchor=\"end\">%v s</text>\n", heightOf(ms), panelWidth, heightOf(ms)+4, ms/1000)
	}
	for _, p := range percents {
		fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%d %%</text>\n", widthOf(p), panelHeight+20, p)
	}
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">how busy the group is</text>\n", panelWidth/2, panelHeight+40)
}

// widthOf is where a load stands, heightOf where a time does.
func widthOf(percent int) int { return (percent - 50) * panelWidth / 45 }

func heightOf(ms float64) int {
	return int(math.Round(panelHeight * (1 - math.Log(ms/fastest)/math.Log(slowest/fastest))))
}

// A line is what the picture shows of a balancer.
type line struct {
	name    string
	class   string
	heights []int // by percents
	label   int   // height of the name
}

func drawLines(b *strings.Builder, by map[string]map[int]*traffic) {
	for _, l := range linesOf(by) {
		fmt.Fprintf(b, "<path class=\"line %s\" d=\"%s\"/>", l.class, l.path())
		end := l.heights[len(l.heights)-1]
		fmt.Fprintf(b, "<path class=\"lead %s\" d=\"M%d %dL%d %d\"/>", l.class, panelWidth, end, panelWidth+18, l.label)
		fmt.Fprintf(b, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", l.class, panelWidth+22, l.label+4, l.name)
	}
}

func (l line) path() string {
	var steps []string
	for i, p := range percents {
		steps = append(steps, fmt.Sprintf("%d %d", widthOf(p), l.heights[i]))
	}
	return "M" + strings.Join(steps, "L")
}

// linesOf are the lines from top to bottom, with names that do not cover each other.
func linesOf(by map[string]map[int]*traffic) (lines []line) {
	for _, name := range simulated() {
		l := line{name: name, class: classOf(name)}
		for _, p := range percents {
			l.heights = append(l.heights, heightOf(float64(rounded(by[name][p].percentile(99)))))
		}
		lines = append(lines, l)
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.heights[len(a.heights)-1], b.heights[len(b.heights)-1]) })
	placeNames(lines)
	return lines
}

// placeNames gives each line's name a place beside its end, or below that of the line
// above; what gets too low moves up again.
func placeNames(lines []line) {
	next := 0
	for i := range lines {
		lines[i].label = max(lines[i].heights[len(percents)-1], next)
		next = lines[i].label + nameHeight
	}
	last := panelHeight
	for i := len(lines) - 1; i >= 0; i-- {
		lines[i].label = min(lines[i].label, last)
		last = lines[i].label - nameHeight
	}
}

// classOf is the colour of a balancer: that of what it goes by.
func classOf(name string) string {
	switch uses := UsesOf(name); {
	case name == "hash-bounded" || uses.Has(UsesKey):
		return "key"
	case uses.Has(UsesTimes):
		return "times"
	case uses != 0:
		return "told"
	case name == "random" || name == "round-robin":
		return "blind"
	}
	return "load"
}

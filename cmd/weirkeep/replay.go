package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// replaying is what the command line of replay says.
type replaying struct {
	against, current string
	keyFile          string
	exitCode         bool
}

func newReplay(a *app) *cobra.Command {
	var o replaying
	c := &cobra.Command{
		Use:   "replay LOG… --against FILE",
		Short: "Say which requests of a log another configuration would send elsewhere",
		Long: "Replay reads access logs in the json format, decides their requests with another configuration, by\n" +
			"the functions that decide live traffic, and says how many would move, from where to where, and by\n" +
			"which rule. Nothing is sent. A LOG may be packed by gzip; - is standard input.\n\n" +
			"What a decision is compared with is what the record says became of the request. With -c, the\n" +
			"configuration that wrote the log decides it once more, and both decisions are compared: then what\n" +
			"went elsewhere because an origin was out does not count, and it is known which inputs the log has.\n\n" +
			"Rules may read header fields and cookies. The log has those that access_log.inputs names, that\n" +
			"rules read and that sessions need, once access_log.inputs is there; of secret ones it has a hash,\n" +
			"which rules can still compare: the key is in the state directory, or in --inputs-key. A request\n" +
			"whose decision depends on what the log does not hold is undecided, and counted apart.",
		Example: "  weirkeep replay access.log --against new.yaml\n" +
			"  weirkeep replay /var/log/weirkeep/access.log* --against new.yaml -c weirkeep.yaml --exit-code",
		Args:        someFiles,
		Annotations: map[string]string{outputs: "json yaml"},
		RunE: func(c *cobra.Command, args []string) error {
			if o.against == "" {
				return usage(c, errors.New("--against is missing: the configuration to replay against"))
			}
			return a.replay(c.Context(), args, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.against, "against", "", "`FILE` of the configuration that decides; required")
	f.StringVarP(&o.current, "config", "c", "", "`FILE` of the configuration that wrote the log")
	f.StringVar(&o.keyFile, "inputs-key", "", "`FILE` with the key of the log's hashes (default: as the configuration says)")
	f.BoolVar(&o.exitCode, "exit-code", false, "end with 7 if any request moves")
	return c
}

func (a *app) replay(ctx context.Context, names []string, o replaying) error {
	p, err := a.newPlayer(o)
	if err != nil {
		return err
	}
	logs, err := a.openLogs(names)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	p.play(ctx, logs.lines(ctx), a.newProgress(logs))
	if err := a.printReplay(&p.report); err != nil {
		return err
	}
	return p.report.verdict(o)
}

// player makes the decisions of logs again.
type player struct {
	now    *decider
	old    *decider // nil: the records say what was decided
	report replayReport
	tally  tally
	missed missed
}

func (a *app) newPlayer(o replaying) (*player, error) {
	p := &player{report: newReplayReport(), tally: newTally()}
	var err error
	if p.now, err = a.newDecider(o.against); err != nil {
		return nil, err
	}
	writer := p.now
	if o.current != "" {
		if p.old, err = a.newDecider(o.current); err != nil {
			return nil, err
		}
		writer = p.old
		p.old.recorded = recordedBy(p.old.cfg)
		p.now.recorded = p.old.recorded
	}
	key, err := inputsKey(o.keyFile, writer.cfg)
	if err != nil {
		return nil, fmt.Errorf("--inputs-key: %w", err)
	}
	p.now.seal.key, writer.seal.key = key, key
	return p, nil
}

// play plays every line, until there is none, or somebody interrupts.
func (p *player) play(ctx context.Context, lines <-chan logLine, shown *progress) {
	defer shown.end()
	shown.tick(0)
	for {
		select {
		case <-ctx.Done():
			p.report.Interrupted = true
		case line, more := <-lines:
			if more {
				p.line(line)
				shown.tick(p.report.Requests)
				continue
			}
			p.report.Interrupted = ctx.Err() != nil
		}
		p.tally.into(&p.report)
		p.report.Hints = p.missed.hints(p.old != nil)
		return
	}
}

// line plays one line.
func (p *player) line(line logLine) {
	if line.fault != "" {
		p.report.unreadable(line, line.fault)
		return
	}
	rec, err := parseRecord(line.text)
	switch {
	case errors.Is(err, errOtherLog):
		p.report.Other++
	case err != nil:
		p.report.unreadable(line, err.Error())
	default:
		p.report.Requests++
		p.record(line, rec)
	}
}

// record plays one record.
func (p *player) record(line logLine, rec logRecord) {
	found, changed, err := p.compare(rec)
	at := example{line.file, line.number, string(rec.RequestID)}
	switch {
	case err != nil:
		p.report.Undecided++
		p.missed.note(err)
		p.tally.undecided.count(difference{from: err.Error()}, at)
	case !changed:
		p.report.Stay++
	case found.moves:
		p.report.Move++
		p.tally.moves.count(found, at)
	default:
		p.report.Stay++
		p.report.Redecided++
		p.tally.redecided.count(found, at)
	}
}

func (p *player) compare(rec logRecord) (c difference, changed bool, err error) {
	if why := rec.undecidable(); why != "" {
		return c, false, undecided(why)
	}
	now, err := p.now.decide(rec)
	if err != nil {
		return c, false, err
	}
	if p.old == nil {
		if err := failedOver(&rec, p.now.cfg, now); err != nil {
			return c, false, err
		}
		c, changed = compareRecord(&rec, p.now.cfg, now)
		return c, changed, nil
	}
	old, err := p.old.decide(rec)
	if err != nil {
		return c, false, err
	}
	c, changed = compareDecisions(old, now)
	return c, changed, nil
}

// progress tells on a terminal how far the reading is.
type progress struct {
	out   io.Writer // nil: nobody is told
	logs  *logFiles
	began time.Time
	next  time.Time
}

func (a *app) newProgress(logs *logFiles) *progress {
	p := &progress{logs: logs, began: time.Now()}
	if terminal(a.stderr) && !a.quiet {
		p.out = a.stderr
	}
	return p
}

// tick tells, some times a second.
func (p *progress) tick(requests int) {
	if p.out == nil || requests%64 != 0 {
		return
	}
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(200 * time.Millisecond)
	fmt.Fprintf(p.out, "\r\x1b[K%s%s", plural(requests, "request"), p.left(now))
}

// left is how much is read, and how long the rest may take.
func (p *progress) left(now time.Time) string {
	read := p.logs.read.Load()
	if p.logs.size == 0 || read == 0 {
		return ""
	}
	part := min(float64(read)/float64(p.logs.size), 1)
	rest := time.Duration(float64(now.Sub(p.began)) * (1 - part) / part)
	return fmt.Sprintf(", %d%%, about %v left", int(part*100), rest.Round(time.Second))
}

// end takes the line away.
func (p *progress) end() {
	if p.out != nil && !p.next.IsZero() {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

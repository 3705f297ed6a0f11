package gateway

import (
	"cmp"
	"context"
	"log/slog"

	"weirkeep/gateway/cache/disk"
)

// troubleMeans is what it means for answers that a disk fails.
var troubleMeans = map[disk.Op]string{
	disk.Reading:  "answers that cannot be read are asked for anew at their origins",
	disk.Writing:  "answers are kept in memory alone until it works",
	disk.Syncing:  "what is on the disk may be lost if the machine loses its power",
	disk.Removing: "there may be no room for new answers, which are kept in memory alone then",
}

// tellDisk logs that the folder stored answers are kept in fails, or works again. The disk
// says how often.
func (g *Gateway) tellDisk(t disk.Trouble) {
	if t.Err == nil {
		g.log.Info("stored answers: "+t.Op.String()+" works again", "category", "cache")
		return
	}
	g.log.LogAttrs(context.Background(), slog.LevelWarn, "stored answers: "+t.Op.String()+" fails",
		slog.String("category", "cache"), slog.String("path", t.Err.Path), slog.String("failed", t.Err.What), slog.String("error", t.Err.Err.Error()),
		slog.Int64("failures", t.Failures), slog.String("means", troubleMeans[t.Op]),
		slog.String("do", cmp.Or(t.Err.Cure, "see the kernel's log, or name another folder (cache.disk.path)")))
}

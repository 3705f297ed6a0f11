package tier

import (
	"encoding/binary"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/disk"
	"weirkeep/gateway/cache/store"
)

// What is written of an answer beside its body: the summary has its key and tags, which is
// what purges go by, and the rest is the record that package cache makes. Expired, as a
// flag, says that it has been marked as stale since.

// summaryVersion is the first byte of every summary. It changes with what is in one.
const summaryVersion = 1

// expired is the flag of what a soft purge has made stale.
const expired = 1

// labelOf is the label of an answer.
func labelOf(k *store.Key, s *cache.Stored) disk.Label {
	return disk.Label{Summary: appendSummary(nil, k, s.Tags), Meta: s.AppendRecord(nil)}
}

func appendSummary(b []byte, k *store.Key, tags []string) []byte {
	b = append(b, summaryVersion, boolByte(k.Secure))
	b = appendPart(b, k.Site)
	b = appendPart(b, k.Variant)
	b = appendPart(b, k.Target)
	b = appendPart(b, k.Parts)
	for _, t := range tags {
		b = appendPart(b, t)
	}
	return b
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// readSummary takes a summary apart; false: it is none. The key's bytes are views.
func readSummary(b []byte) (k store.Key, tags []string, ok bool) {
	if len(b) < 2 || b[0] != summaryVersion {
		return k, nil, false
	}
	k.Secure = b[1] == 1
	var site, variant, tag []byte
	b = b[2:]
	for _, part := range []*[]byte{&site, &variant, &k.Target, &k.Parts} {
		if *part, b, ok = cutPart(b); !ok {
			return k, nil, false
		}
	}
	k.Site, k.Variant = string(site), string(variant)
	for len(b) > 0 {
		if tag, b, ok = cutPart(b); !ok {
			return k, nil, false
		}
		tags = append(tags, string(tag))
	}
	return k, tags, true
}

func cutPart(b []byte) (part, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, false
	}
	b = b[size:]
	return b[:n:n], b[n:], true
}

// readLabel is the key and the answer that a label is of; false: it is of none.
func readLabel(l disk.Label) (store.Key, *cache.Stored, bool) {
	k, _, ok := readSummary(l.Summary)
	if !ok {
		return k, nil, false
	}
	s, err := cache.ReadRecord(l.Meta)
	if err != nil {
		return k, nil, false
	}
	if l.Flags&expired != 0 {
		s = s.Expire()
	}
	return k, s, true
}

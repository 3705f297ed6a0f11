package tier

import (
	"encoding/binary"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/disk"
	"weirkeep/gateway/cache/store"
)

// What is written of an answer beside its body: the summary has its key and tags, which is
// what purges go by, and when it came, for lists; the rest is the record that package cache
// makes. Expired, as a flag, says that it has been marked as stale since.

// summary is what can be known of an answer without reading its label.
type summary struct {
	key      store.Key // its bytes are views of what was read
	tags     []string
	received int64 // in Unix milliseconds
}

// summaryVersion is the first byte of every summary. It changes with what is in one.
const summaryVersion = 2

// expired is the flag of what a soft purge has made stale.
const expired = 1

// labelOf is the label of an answer.
func labelOf(k *store.Key, s *cache.Stored) disk.Label {
	of := summary{key: *k, tags: s.Tags, received: s.Fresh.Received.UnixMilli()}
	return disk.Label{Summary: of.append(nil), Meta: s.AppendRecord(nil)}
}

func (s *summary) append(b []byte) []byte {
	k := &s.key
	b = append(b, summaryVersion, boolByte(k.Secure))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.received))
	b = appendPart(b, k.Site)
	b = appendPart(b, k.Variant)
	b = appendPart(b, k.Target)
	b = appendPart(b, k.Parts)
	for _, t := range s.tags {
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

// summaryHead is how long a summary is before its parts, and summaryParts how many of these
// come before tags.
const (
	summaryHead  = 10
	summaryParts = 4
)

// readSummary takes a summary apart; false: it is none.
func readSummary(b []byte) (s summary, ok bool) {
	if len(b) < summaryHead || b[0] != summaryVersion {
		return s, false
	}
	k := &s.key
	k.Secure = b[1] == 1
	s.received = int64(binary.LittleEndian.Uint64(b[2:]))
	var site, variant, tag []byte
	b = b[summaryHead:]
	for _, part := range [summaryParts]*[]byte{&site, &variant, &k.Target, &k.Parts} {
		if *part, b, ok = cutPart(b); !ok {
			return s, false
		}
	}
	k.Site, k.Variant = string(site), string(variant)
	for len(b) > 0 {
		if tag, b, ok = cutPart(b); !ok {
			return s, false
		}
		s.tags = append(s.tags, string(tag))
	}
	return s, true
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
	of, ok := readSummary(l.Summary)
	if !ok {
		return of.key, nil, false
	}
	s, err := cache.ReadRecord(l.Meta)
	if err != nil {
		return of.key, nil, false
	}
	if l.Flags&expired != 0 {
		s = s.Expire()
	}
	return of.key, s, true
}

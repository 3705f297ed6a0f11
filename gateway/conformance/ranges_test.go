package conformance

// Parts of answers (RFC 9111 3.3, 3.4; RFC 9110 14, 15.3.7).
var ranges = []row{
	{"G1", "an open range of what is stored", `
		O: Cache-Control: max-age=60 / X-Test: yes / ETag: "v1" / body abcdefghij
		C: -> miss
		T+7 C: Range: bytes=7- => nothing -> 206 / body hij / Content-Range: bytes 7-9/10 / Content-Length: 3 / X-Test: yes / ETag: "v1" / Age: 7`},
	{"G1", "a closed range", `
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss
		C: Range: bytes=2-5 => nothing -> 206 / body cdef / Content-Range: bytes 2-5/10`},
	{"G1", "the first byte", `
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss
		C: Range: bytes=0-0 => nothing -> 206 / body a / Content-Range: bytes 0-0/10`},
	{"G1", "a suffix", `
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss
		C: Range: bytes=-3 => nothing -> 206 / body hij / Content-Range: bytes 7-9/10`},
	{"G1", "a suffix longer than the whole", `
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss
		C: Range: bytes=-30 => nothing -> 206 / body abcdefghij / Content-Range: bytes 0-9/10`},
	{"G1", "a range that ends behind the end", `
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss
		C: Range: bytes=7-99 => nothing -> 206 / body hij / Content-Range: bytes 7-9/10`},
	{"G1", "a range that begins behind the end", `
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss
		C: Range: bytes=10- => nothing -> 416 / Content-Range: bytes */10`},
	{"G1", "a suffix of nothing", `
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss
		C: Range: bytes=-0 => nothing -> 416 / Content-Range: bytes */10`},
	{"G1", "the unit has no case", `
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss
		C: Range: Bytes=7- => nothing -> 206 / body hij`},
	{"G1", "another unit", `
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss
		C: Range: lines=1-2 -> hit / 200`},
	{"G1", "a range that cannot be read", `
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss
		C: Range: bytes=5-2 -> hit / 200
		C: Range: bytes=a-b -> hit / 200
		C: Range: bytes -> hit / 200`},
	{"G1", "a range of what came in chunks", `
		O: Cache-Control: max-age=60 / Transfer-Encoding: chunked / body "a\r\nabcdefghij\r\n0\r\n\r\n"
		C: -> 200 / body abcdefghij
		C: Range: bytes=7- => nothing -> 206 / body hij / Content-Range: bytes 7-9/10`},
	{"G1", "If-Range with the tag", `
		O: Cache-Control: max-age=60 / ETag: "v1" / body abcdefghij
		C: -> miss
		C: Range: bytes=7- / If-Range: "v1" => nothing -> 206 / body hij`},
	{"G1", "If-Range with another tag", `
		O: Cache-Control: max-age=60 / ETag: "v1" / body abcdefghij
		C: -> miss
		C: Range: bytes=7- / If-Range: "v2" -> hit / 200`},
	{"G1", "If-Range with a weak tag", `
		O: Cache-Control: max-age=60 / ETag: W/"v1" / body abcdefghij
		C: -> miss
		C: Range: bytes=7- / If-Range: W/"v1" -> hit / 200`},
	{"G1", "If-Range with the date", `
		O: Cache-Control: max-age=60 / Last-Modified: D(-86400) / body abcdefghij
		C: -> miss
		C: Range: bytes=7- / If-Range: D(-86400) => nothing -> 206 / body hij`},
	{"G1", "If-Range with another date", `
		O: Cache-Control: max-age=60 / Last-Modified: D(-86400) / body abcdefghij
		C: -> miss
		C: Range: bytes=7- / If-Range: D(-86000) -> hit / 200`},
	{"G1", "If-Range without Range", `
		O: Cache-Control: max-age=60 / ETag: "v1" / body abcdefghij
		C: -> miss
		C: If-Range: "v1" -> hit / 200`},
	{"G1", "a condition comes before a range", `
		O: Cache-Control: max-age=60 / ETag: "v1" / body abcdefghij
		C: -> miss
		C: Range: bytes=7- / If-None-Match: "v1" => nothing -> 304
		C: Range: bytes=7- / If-None-Match: "v2" => nothing -> 206 / body hij`},
	{"G1", "several ranges are several parts", `
		O: Cache-Control: max-age=60 / Content-Type: text/plain / body abcdefghij
		C: -> miss
		C: Range: bytes=0-1, 7- => nothing -> 206 / Content-Type ~ multipart/byteranges; boundary= / no Content-Range`},
	{"G1", "ranges that overlap are one", `
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss
		C: Range: bytes=0-4, 3-7 => nothing -> 206 / body abcdefgh / Content-Range: bytes 0-7/10`},
	{"G1", "of several ranges those that can be met", `
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss
		C: Range: bytes=20-, 7- => nothing -> 206 / body hij / Content-Range: bytes 7-9/10`},
	{"G1", "a great many ranges are the whole", `
		O: Cache-Control: max-age=60 / body abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz
		C: -> miss
		C: Range: bytes=0-0,2-2,4-4,6-6,8-8,10-10,12-12,14-14,16-16,18-18,20-20,22-22,24-24,26-26,28-28,30-30,32-32,34-34,36-36,38-38,40-40,42-42,44-44,46-46,48-48,50-50 -> hit / 200`},
	{"G1", "HEAD has no ranges", `
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss
		C: HEAD Range: bytes=7- -> hit / 200 / Content-Length: 10`},
	{"G1", "a stored error has no ranges", `
		O: 404 / Cache-Control: max-age=60 / body abcdefghij
		C: -> miss / 404
		C: Range: bytes=7- -> hit / 404`},
	{"G1", "a range of a long answer", `
		O: Cache-Control: max-age=60 / body ` + kilobytes(300) + `
		C: -> miss
		C: Range: bytes=300000-300003 => nothing -> 206 / body ` + kilobytes(300)[300000:300004] + ` / Content-Range: bytes 300000-300003/307200
		C: Range: bytes=1- => nothing -> 206 / body ` + kilobytes(300)[1:] + `
		C: -> hit`},
	{"G1", "a range of a long answer that came in pieces", `
		O: Cache-Control: max-age=60 / no Content-Length / body ` + kilobytes(300) + `
		C: -> miss
		C: Range: bytes=300000-300003 => nothing -> 206 / body ` + kilobytes(300)[300000:300004] + ` / Content-Range: bytes 300000-300003/307200
		C: Range: bytes=-65536 => nothing -> 206 / body ` + kilobytes(300)[307200-65536:] + `
		C: -> hit`},
	{"G1", "If-None-Match and Range behind each other on a connection", `
		O: Cache-Control: max-age=60 / ETag: "v1" / body abcdefghij
		C: -> miss
		C: If-None-Match: "v1" => nothing -> 304 / body ""
		C: HEAD -> hit / body ""
		C: Range: bytes=0-1, 5-6 => nothing -> 206
		C: HEAD Range: bytes=0-1 -> hit / 200 / body ""
		C: Range: bytes=99- => nothing -> 416
		C: Range: bytes=7- => nothing -> 206 / body hij
		C: -> hit`},
	{"G2", "a range of what is not stored is asked for, and kept", `
		O: 206 / Content-Range: bytes 0-3/10 / Cache-Control: max-age=60 / body abcd
		C: Range: bytes=0-3 => Range: bytes=0-3 -> miss / 206 / Content-Range: bytes 0-3/10
		T+7 C: Range: bytes=0-3 -> hit / 206 / Content-Range: bytes 0-3/10 / body abcd / Age: 7`},
	{"G2", "a range within a part", `
		O: 206 / Content-Range: bytes 0-3/10 / Cache-Control: max-age=60 / body abcd
		C: Range: bytes=0-3 -> miss / 206
		C: Range: bytes=1-2 => nothing -> 206 / Content-Range: bytes 1-2/10 / body bc`},
	{"G2", "an open range within a part at the end", `
		O: 206 / Content-Range: bytes 4-9/10 / Cache-Control: max-age=60 / body efghij
		C: Range: bytes=4- -> miss / 206
		C: Range: bytes=7- => nothing -> 206 / Content-Range: bytes 7-9/10 / body hij`},
	{"G2", "a suffix within a part at the end", `
		O: 206 / Content-Range: bytes 4-9/10 / Cache-Control: max-age=60 / body efghij
		C: Range: bytes=4- -> miss / 206
		C: Range: bytes=-2 => nothing -> 206 / Content-Range: bytes 8-9/10 / body ij`},
	{"G2", "a range that a part does not have", `
		O: 206 / Content-Range: bytes 0-3/10 / Cache-Control: max-age=60 / body abcd
		C: Range: bytes=0-3 -> miss / 206
		O: 206 / Content-Range: bytes 6-7/10 / Cache-Control: max-age=60 / body gh
		C: Range: bytes=6-7 => Range: bytes=6-7 -> miss / 206`},
	{"G2", "a part that has expired is not sent", `
		O: 206 / Content-Range: bytes 0-3/10 / Cache-Control: max-age=2 / body abcd
		C: Range: bytes=0-3 -> miss / 206
		T+3 C: Range: bytes=0-3 => Range: bytes=0-3 -> miss / 206`},
	{"G2", "a part that says nothing of freshness is not kept", `
		O: 206 / Content-Range: bytes 0-3/10 / body abcd
		C: Range: bytes=0-3 -> miss / 206
		C: Range: bytes=0-3 -> miss / 206`},
	{"G2", "a part that must not be stored is not kept", `
		O: 206 / Content-Range: bytes 0-3/10 / Cache-Control: max-age=60, no-store / body abcd
		C: Range: bytes=0-3 -> miss / 206
		C: Range: bytes=0-3 -> miss / 206`},
	{"G2", "a part without Content-Range is not kept", `
		O: 206 / Cache-Control: max-age=60 / body abcd
		C: Range: bytes=0-3 -> miss / 206
		C: Range: bytes=0-3 -> miss / 206`},
	{"G2", "a part of a whole whose length is not known", `
		O: 206 / Content-Range: bytes 0-3/* / Cache-Control: max-age=60 / body abcd
		C: Range: bytes=0-3 -> miss / 206
		C: Range: bytes=0-3 -> hit / 206 / Content-Range: bytes 0-3/*`},
	{"G2", "a part that is the whole is", `
		O: 206 / Content-Range: bytes 0-9/10 / Cache-Control: max-age=60 / body abcdefghij
		C: Range: bytes=0-20 => GET -> 206 / body abcdefghij
		C: => nothing -> 200 / body abcdefghij / no Content-Range`},
	{"G2", "an origin that knows no ranges", `
		O: Cache-Control: max-age=60 / body abcdefghij
		C: Range: bytes=0-3 => Range: bytes=0-3 -> 206 / body abcd / Content-Range: bytes 0-3/10
		C: -> hit / 200
		C: Range: bytes=7- => nothing -> 206 / body hij`},
	{"G2", "a 416 is passed on", `
		O: 416 / Content-Range: bytes */10 / Cache-Control: max-age=60
		C: Range: bytes=20- => Range: bytes=20- -> miss / 416 / Content-Range: bytes */10
		O: Cache-Control: max-age=60
		C: -> miss / 200`},
	{"G3", "a part and the rest of it become a whole", `
		O: 206 / Content-Range: bytes 0-4/10 / ETag: "v1" / Cache-Control: max-age=60 / X-Old: 1 / X-Gen: 1 / body abcde
		C: Range: bytes=0-4 -> miss / 206
		O: 206 / Content-Range: bytes 5-9/10 / ETag: "v1" / Cache-Control: max-age=60 / X-Gen: 2 / body fghij
		C: => Range: bytes=5- / If-Range: "v1" -> 200 / body abcdefghij / X-Gen: 2 / X-Old: 1 / no Content-Range
		C: => nothing -> 200 / body abcdefghij / Content-Length: 10`},
	{"G3", "the rest of another version is not joined", `
		O: 206 / Content-Range: bytes 0-4/10 / ETag: "v1" / Cache-Control: max-age=60 / body abcde
		C: Range: bytes=0-4 -> miss / 206
		O: 206 / Content-Range: bytes 5-9/10 / ETag: "v2" / Cache-Control: max-age=60 / body FGHIJ / then / 200 / ETag: "v2" / Cache-Control: max-age=60 / body ABCDEFGHIJ
		C: => 2 / no Range / no If-Range -> 200 / body ABCDEFGHIJ
		C: -> hit 3`},
	{"G3", "the rest of a weak version is not joined", `
		O: 206 / Content-Range: bytes 0-4/10 / ETag: W/"v1" / Cache-Control: max-age=60 / body abcde
		C: Range: bytes=0-4 -> miss / 206
		O: 200 / ETag: W/"v1" / Cache-Control: max-age=60 / body abcdefghij
		C: => no If-Range -> 200 / body abcdefghij`},
	{"G3", "parts that do not meet are not joined", `
		O: 206 / Content-Range: bytes 0-4/10 / ETag: "v1" / Cache-Control: max-age=60 / body abcde
		C: Range: bytes=0-4 -> miss / 206
		O: 206 / Content-Range: bytes 6-9/10 / ETag: "v1" / Cache-Control: max-age=60 / body ghij / then / 200 / ETag: "v1" / Cache-Control: max-age=60 / body abcdefghij
		C: => 2 / no Range -> 200 / body abcdefghij`},
	{"G4", "the rest is asked for without a tag, and the whole comes", `
		O: 206 / Content-Range: bytes 0-4/10 / Cache-Control: max-age=60 / body abcde
		C: Range: bytes=0-4 -> miss / 206
		O: 200 / Cache-Control: max-age=60 / body abcdefghij
		C: => Range: bytes=5- / no If-Range -> miss / 200 / body abcdefghij
		C: -> hit 2`},
	{"G4", "the rest is asked for without a tag, and is not joined", `
		O: 206 / Content-Range: bytes 0-4/10 / Cache-Control: max-age=60 / body abcde
		C: Range: bytes=0-4 -> miss / 206
		O: 206 / Content-Range: bytes 5-9/10 / Cache-Control: max-age=60 / body fghij / then / 200 / Cache-Control: max-age=60 / body abcdefghij
		C: => 2 / no Range -> 200 / body abcdefghij`},
	{"G4", "the rest has a tag that what is stored has not", `
		O: 206 / Content-Range: bytes 0-4/10 / ETag: "v1" / Cache-Control: max-age=60 / body abcde
		C: Range: bytes=0-4 -> miss / 206
		O: 200 / ETag: "v2" / Cache-Control: max-age=60 / body ABCDEFGHIJ
		C: => Range: bytes=5- / If-Range: "v1" -> miss / 200 / body ABCDEFGHIJ
		C: -> hit 2`},
	{"G4", "a part that is no beginning is not completed", `
		O: 206 / Content-Range: bytes 5-9/10 / ETag: "v1" / Cache-Control: max-age=60 / body fghij
		C: Range: bytes=5-9 -> miss / 206
		O: 200 / ETag: "v1" / Cache-Control: max-age=60 / body abcdefghij
		C: => no Range -> miss / 200 / body abcdefghij`},
	{"G5", "an answer that is cut is not stored", `
		O: Cache-Control: max-age=60 / Content-Length: 10 / body abcd
		C: => GET -> cut / body abcd
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss / body abcdefghij
		C: -> hit 2`},
	{"G5", "an answer in chunks that is cut is not stored", `
		O: Cache-Control: max-age=60 / Transfer-Encoding: chunked / body "a\r\nabcd"
		C: => GET -> cut
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss / body abcdefghij
		C: -> hit 2`},
	{"G5", "an answer whose chunks do not end is not stored", `
		O: Cache-Control: max-age=60 / Transfer-Encoding: chunked / body "4\r\nabcd\r\n"
		C: => GET -> cut
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss / body abcdefghij`},
	{"G5", "an answer with a chunk that is none is not stored", `
		O: Cache-Control: max-age=60 / Transfer-Encoding: chunked / body "4\r\nabcd\r\nxyz\r\n"
		C: => GET -> cut
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss / body abcdefghij`},
	{"G5", "an answer that ends with its connection is stored", `
		O: Cache-Control: max-age=60 / no Content-Length / body abcdefghij
		C: -> miss / body abcdefghij
		C: -> hit / body abcdefghij`},
	{"G5", "what was stored before is not lost to one that is cut", `
		O: Cache-Control: max-age=2 / ETag: "v1" / body old
		C: -> miss
		O: Cache-Control: max-age=60 / ETag: "v2" / Content-Length: 10 / body abcd
		T+3 C: => If-None-Match: "v1" -> cut
		O: Cache-Control: max-age=60 / ETag: "v2" / body abcdefghij
		C: => GET -> 200 / body abcdefghij`},
	{"G6", "Content-Range on a 200 means nothing", `
		O: Cache-Control: max-age=60 / Content-Range: bytes 0-3/10 / body abcdefghij
		C: -> miss / 200 / Content-Range: bytes 0-3/10 / body abcdefghij
		C: -> hit / 200 / Content-Range: bytes 0-3/10 / body abcdefghij`},
	{"G6", "Content-Range on a 200 that cannot be read", `
		O: Cache-Control: max-age=60 / Content-Range: zork / body abcdefghij
		C: -> miss / 200 / Content-Range: zork
		C: -> hit / 200 / Content-Range: zork`},
	{"0.4", "a part that is shorter than it says: the same range", `
		O: 206 / Content-Range: bytes 4-9/10 / Cache-Control: max-age=60 / body 01234
		C: Range: bytes=4-9 -> miss / 206
		C: Range: bytes=4-9 -> hit / 206 / body 01234`},
	{"0.4", "a part that is shorter than it says: a range within it", `
		O: 206 / Content-Range: bytes 4-9/10 / Cache-Control: max-age=60 / body 01234
		C: Range: bytes=4-9 -> miss / 206
		C: Range: bytes=6-8 => nothing -> 206 / body 234`},
	{"0.4", "a part that is shorter than it says: an open range", `
		O: 206 / Content-Range: bytes 4-9/10 / Cache-Control: max-age=60 / body 01234
		C: Range: bytes=4-9 -> miss / 206
		C: Range: bytes=6- => nothing -> 206 / body 234`},
	{"0.4", "a part that is shorter than it says: a suffix", `
		O: 206 / Content-Range: bytes 4-9/10 / Cache-Control: max-age=60 / body 01234
		C: Range: bytes=4-9 -> miss / 206
		C: Range: bytes=-1 => nothing -> 206 / body 4`},
}

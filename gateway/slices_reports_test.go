package gateway

import (
	"strconv"
	"strings"
	"testing"
)

// CF-03: the age of a range that is put together of slices is never more than the time since the
// oldest of them was fetched, and what age the origin gave it.
func TestReportAgeOfSlices(t *testing.T) {
	t.Parallel()
	for _, given := range []int64{0, 7} {
		f := newFilm(t, "")
		if given > 0 {
			f.fields = append(f.fields, "Age", strconv.FormatInt(given, 10))
		}
		fetched := map[int64]int64{} // when each slice was
		for _, tt := range []struct{ at, from, to int64 }{
			{0, 0, 1}, {2, 0, 1}, {2, 0, 5000}, {5, 3 * filmSlice, 4 * filmSlice}, {9, 2 * filmSlice, 5 * filmSlice}, {12, 5 * filmSlice, 5*filmSlice + 1}, {13, 0, 41060}, {20, 0, 41060},
		} {
			f.at(tt.at)
			got := f.get(t, "/film", "Range: bytes="+strconv.FormatInt(tt.from, 10)+"-"+strconv.FormatInt(tt.to-1, 10))
			got.wantsOf(t, "a range", 1, f.size, tt.from, tt.to)
			oldest := tt.at
			for n := tt.from / filmSlice; n*filmSlice < tt.to; n++ {
				if _, had := fetched[n]; !had {
					fetched[n] = tt.at
				}
				oldest = min(oldest, fetched[n])
			}
			age := int64(0)
			if value := got.Header.Get("Age"); value != "" {
				var err error
				if age, err = strconv.ParseInt(value, 10, 64); err != nil {
					t.Errorf("Age: %s", value)
				}
			}
			if most := tt.at - oldest + given; age < 0 || age > most {
				t.Errorf("at %d s, bytes %d to %d: Age %d, must be 0 to %d", tt.at, tt.from, tt.to, age, most)
			}
		}
	}
}

// What has grown too long to be stored is asked for as a whole, once a part of it is stored:
// its rest is no answer to who asks for all.
func TestReportRestOfWhatIsTooLong(t *testing.T) {
	t.Parallel()
	f := newFilm(t, ", max_object: 8KiB")
	f.size = 12 << 10
	apply(t, f.g, strings.Replace(f.text, "above: 4KiB", "above: 64MiB", 1))
	f.get(t, "/film", "Range: bytes=0-99").wantsOf(t, "a range", 1, f.size, 0, 100)
	f.get(t, "/film").wantsOf(t, "all", 1, f.size, 0, f.size)
}

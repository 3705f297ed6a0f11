package gateway

// shelf holds things that outlive snapshots, by key. A thing stays as long as
// somebody who took it has not dropped it. Its owner guards it.
type shelf[K comparable, V any] map[K]*held[V]

// held is a thing with the number of times it was taken.
type held[V any] struct {
	thing V
	users int
}

// take returns the thing for key, which is made if nobody has it.
func (s shelf[K, V]) take(key K, make func() V) V {
	h := s[key]
	if h == nil {
		h = &held[V]{thing: make()}
		s[key] = h
	}
	h.users++
	return h.thing
}

// drop lets a thing go that was taken, and reports whether nobody has it now.
func (s shelf[K, V]) drop(key K) (thing V, last bool) {
	h := s[key]
	h.users--
	if h.users > 0 {
		return h.thing, false
	}
	delete(s, key)
	return h.thing, true
}

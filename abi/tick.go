package abi

// TickView is what gw_tick is told.
type TickView struct {
	Flags  uint16 // FlagSelfTest
	Now    uint64 // Unix time in ns
	Number uint64 // of the tick, from 0
	Period uint32 // ms
}

// Size returns how many bytes the view has: always the same.
func (v *TickView) Size() int { return tickHead }

// Put writes the view to the start of b and returns how many bytes it has. It
// writes to no other byte; when it returns ErrTooLarge it has written nothing.
func (v *TickView) Put(b []byte) (size int, err error) {
	w, err := room(b, tickHead, tickHead, tickHead)
	if err != nil {
		return 0, err
	}
	le.PutUint16(w.b[tickFlags:], v.Flags)
	le.PutUint64(w.b[tickNow:], v.Now)
	le.PutUint64(w.b[tickNumber:], v.Number)
	le.PutUint32(w.b[tickPeriod:], v.Period)
	return tickHead, nil
}

// DecodeTickView reads a tick view; b is the view alone.
func DecodeTickView(b []byte) (*TickView, error) {
	r, err := newReader("tick view", b, tickHead)
	if err != nil {
		return nil, err
	}
	return &TickView{Flags: r.u16(tickFlags), Now: r.u64(tickNow), Number: r.u64(tickNumber), Period: r.u32(tickPeriod)}, nil
}

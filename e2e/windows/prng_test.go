package windows

import (
	"bytes"
	"encoding/binary"
)

// prngLibrary returns a library bcryptprimitives.dll for Wine 8, which has none: programs of Go do not start without its ProcessPrng. The
// library contains no code. Its one export forwards to the function of advapi32.dll that has the same parameters and result. It is
// for tests only.
func prngLibrary() []byte {
	const (
		headers   = 0x200  // bytes in the file before the section; also the alignment of the file
		address   = 0x1000 // of the section in memory; also the alignment of memory
		directory = 40     // bytes of an export directory
		function  = "ProcessPrng"
		target    = "ADVAPI32.SystemFunction036" // RtlGenRandom
		library   = "bcryptprimitives.dll"
	)
	const (
		addresses = address + directory
		names     = addresses + 4
		ordinals  = names + 4
		strings   = ordinals + 2
	)
	const (
		libraryAt  = strings
		functionAt = libraryAt + len(library) + 1
		targetAt   = functionAt + len(function) + 1
		end        = targetAt + len(target) + 1
	)
	var file bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			if err := binary.Write(&file, binary.LittleEndian, v); err != nil {
				panic(err)
			}
		}
	}
	dos := make([]byte, 64)
	copy(dos, "MZ")
	dos[60] = 64 // where the PE header begins
	put(dos, []byte("PE\x00\x00"))
	put(uint16(0x8664), uint16(1), uint32(0), uint32(0), uint32(0), uint16(240), uint16(0x2022)) // amd64, one section, a DLL
	put(uint16(0x20b), uint16(0), uint32(0), uint32(headers), uint32(0), uint32(0), uint32(address))
	put(uint64(0x3a5c10000), uint32(address), uint32(headers)) // the preferred address, the alignments
	put(uint16(6), uint16(0), uint16(0), uint16(0), uint16(6), uint16(0), uint32(0))
	put(uint32(2*address), uint32(headers), uint32(0), uint16(2), uint16(0x100))
	put(uint64(1<<20), uint64(1<<12), uint64(1<<20), uint64(1<<12), uint32(0), uint32(16))
	put(uint32(address), uint32(end-address), make([]byte, 15*8)) // of 16 directories only the exports
	put([]byte(".edata\x00\x00"), uint32(end-address), uint32(address), uint32(headers), uint32(headers), make([]byte, 12), uint32(0x40000040))
	put(make([]byte, headers-file.Len()))
	put(uint32(0), uint32(0), uint32(0), uint32(libraryAt), uint32(1), uint32(1), uint32(1), uint32(addresses), uint32(names), uint32(ordinals))
	put(uint32(targetAt), uint32(functionAt), uint16(0))
	put([]byte(library+"\x00"), []byte(function+"\x00"), []byte(target+"\x00"))
	put(make([]byte, 2*headers-file.Len()))
	return file.Bytes()
}

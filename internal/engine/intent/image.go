package intent

import (
	"encoding/binary"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// appendImage writes properties: for each the length of its name, the name, the number of its type, and its value: texts and octets after their
// length, others as 8 octets, little-endian. Lengths are varints. Absent properties are left out.
func appendImage(dst []byte, names []string, values []engine.Value) []byte {
	for i, name := range names {
		v := &values[i]
		if v.Type == engine.Absent {
			continue
		}
		dst = append(binary.AppendUvarint(dst, uint64(len(name))), name...)
		dst = append(dst, byte(v.Type))
		switch v.Type {
		case engine.String, engine.Guid, engine.Binary:
			dst = append(binary.AppendUvarint(dst, uint64(len(v.S))), v.S...)
		default:
			dst = binary.LittleEndian.AppendUint64(dst, v.N)
		}
	}
	return dst
}

var errImage = engine.Errorf(engine.CodeCorrupt, "the new content of an entity, in property %s, cannot be read", imageProperty)

func readImage(b string) (names []string, values []engine.Value, err error) {
	next := func() (string, bool) {
		var length uint64
		for shift := 0; ; shift += 7 {
			if b == "" || shift > 28 {
				return "", false
			}
			c := b[0]
			b = b[1:]
			length |= uint64(c&0x7f) << shift
			if c < 0x80 {
				break
			}
		}
		if length > uint64(len(b)) {
			return "", false
		}
		text := b[:length]
		b = b[length:]
		return text, true
	}
	for b != "" {
		name, ok := next()
		if !ok || b == "" {
			return nil, nil, errImage
		}
		v := engine.Value{Type: engine.Edm(b[0])}
		b = b[1:]
		switch v.Type {
		case engine.String, engine.Guid, engine.Binary:
			if v.S, ok = next(); !ok {
				return nil, nil, errImage
			}
		case engine.Int32, engine.Int64, engine.Double, engine.Boolean, engine.DateTime:
			if len(b) < 8 {
				return nil, nil, errImage
			}
			v.N = binary.LittleEndian.Uint64([]byte(b[:8]))
			b = b[8:]
		default:
			return nil, nil, errImage
		}
		names, values = append(names, name), append(values, v)
	}
	return names, values, nil
}

// putImage appends the properties that hold an image, and gives how many they are.
func putImage(names []string, values []engine.Value, image []byte, most int) ([]string, []engine.Value, int) {
	n := 0
	for ; len(image) > 0; n++ {
		part := image[:min(len(image), most)]
		image = image[len(part):]
		names, values = append(names, imageName(n)), append(values, engine.Value{Type: engine.Binary, S: string(part)})
	}
	return names, values, n
}

// imageOf reads the image from an entity that was read whole, or a single property's image.
func imageOf(e *engine.Entity, m *marker) ([]string, []engine.Value, error) {
	image := ""
	for i := range m.images {
		image += property(e, imageName(i))
	}
	return readImage(image)
}

package stored

import (
	"encoding/json"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// EncodeStatistics gives the text of a table's statistics. It stands beside the definition, not in it: a version that does not know of
// statistics leaves them out, and drops them when it changes the definition, which no answer hangs on.
func EncodeStatistics(s *schema.Statistics) (string, error) {
	text, err := json.Marshal(s)
	return string(text), err
}

// DecodeStatistics reads what EncodeStatistics wrote; nil where nothing was, or what another version means otherwise.
func DecodeStatistics(text string) *schema.Statistics {
	s := &schema.Statistics{}
	if text == "" || json.Unmarshal([]byte(text), s) != nil || s.Rows < 0 {
		return nil
	}
	return s
}

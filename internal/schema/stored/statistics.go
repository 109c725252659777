package stored

import (
	"encoding/json"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// EncodeStatistics gives the text of a table's statistics. It is stored next to the definition, not in it: a version that does not know
// statistics ignores them, and drops them when it changes the definition, which affects no result.
func EncodeStatistics(s *schema.Statistics) (string, error) {
	text, err := json.Marshal(s)
	return string(text), err
}

// DecodeStatistics reads what EncodeStatistics wrote; nil if there is nothing, or it means something else to another version.
func DecodeStatistics(text string) *schema.Statistics {
	s := &schema.Statistics{}
	if text == "" || json.Unmarshal([]byte(text), s) != nil || s.Rows < 0 {
		return nil
	}
	return s
}

package native

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// maxRecords is how much session/records sends at once, in bytes; one record is always sent.
const maxRecords = 4 << 20

// records reads a part of the records (session/records).
func (s *session) records(ctx context.Context, p *SessionRecordsParams) (result SessionRecordsResult, err error) {
	result = SessionRecordsResult{Records: []jsontext.Value{}, Head: s.eng.Log().Head()}
	last := p.Before > 0 && p.From == 0 // the last ones below p.Before
	from := p.From
	if end := min(p.Before, result.Head+1); last && len(p.Kinds) == 0 && end > uint64(p.Limit) {
		from = end - uint64(p.Limit) // there are no gaps
		result.More = from > 1
	}
	size := 0
	for rec, err := range s.eng.Log().RecordsFrom(ctx, max(from, 1)) {
		if err != nil {
			return result, err
		}
		if len(p.Kinds) > 0 && !slices.Contains(p.Kinds, rec.Event.Kind()) {
			continue
		}
		if p.Before > 0 && rec.Seq >= p.Before {
			break
		}
		if !last && (len(result.Records) == p.Limit || size > maxRecords) {
			result.More = true
			break
		}
		record, err := recordValue(s.eng, rec)
		if err != nil {
			return result, err
		}
		result.Records = append(result.Records, record)
		for size += len(record); last && len(result.Records) > 1 && (len(result.Records) > p.Limit || size > maxRecords); {
			size -= len(result.Records[0])
			result.Records, result.More = result.Records[1:], true
		}
	}
	return result, nil
}

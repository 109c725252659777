package stored

// The forms below are what is stored. An empty field is left out. The meaning of a name never changes: a field is
// added with a feature (see package feature), and the name of a former field is not used again.

type table struct {
	ToRead        []string    `json:"to_read,omitempty"`  // features required to read the table
	ToWrite       []string    `json:"to_write,omitempty"` // features required to write to the table
	Database      string      `json:"database,omitempty"`
	Name          string      `json:"name"`
	Physical      string      `json:"physical,omitempty"`
	RowName       string      `json:"row_name,omitempty"`
	Version       int64       `json:"version,omitempty"`
	WriteVersion  int64       `json:"write_version,omitempty"` // none: version
	Comment       string      `json:"comment,omitempty"`
	Collation     string      `json:"collation,omitempty"`
	AutoIncrement int64       `json:"auto_increment,omitempty"` // the first value, if the statement gave it
	Columns       []column    `json:"columns,omitempty"`        // none for a view, which has no key either
	Key           []keyColumn `json:"key,omitempty"`
	Indexes       []index     `json:"indexes,omitempty"`
	KeyNames      []string    `json:"key_names,omitempty"` // all prefixes that index keys ever had
	Checks        []check     `json:"checks,omitempty"`
	ForeignKeys   []foreign   `json:"foreign_keys,omitempty"`
	Referrers     []string    `json:"referred_by,omitempty"`   // tables whose foreign keys refer to this one
	Elsewhere     []relative  `json:"referred_from,omitempty"` // the same, in other databases
	Spread        *spread     `json:"store_partitions,omitempty"`
	Partitions    *partitions `json:"partitions,omitempty"`
	Parent        *parent     `json:"parent,omitempty"`
	Children      []string    `json:"children,omitempty"`
	External      *external   `json:"external,omitempty"`
	Change        *change     `json:"change,omitempty"`
	Retired       []string    `json:"retired_properties,omitempty"`
	View          *view       `json:"view,omitempty"`
}

type column struct {
	Name string `json:"name"`
	typ
	Property      *string `json:"property,omitempty"` // none: the name; of a column that is no property, none at all
	NotNull       bool    `json:"not_null,omitempty"`
	AutoIncrement bool    `json:"auto_increment,omitempty"`
	Hidden        bool    `json:"hidden,omitempty"`
	Invisible     bool    `json:"invisible,omitempty"`
	State         string  `json:"state,omitempty"` // none: public
	Default       *string `json:"default,omitempty"`
	OnUpdate      string  `json:"on_update,omitempty"`
	Comment       string  `json:"comment,omitempty"`
	Generated     string  `json:"generated,omitempty"`
	Stored        bool    `json:"stored,omitempty"`
	initial
	NextForm     *columnForm `json:"coming,omitempty"`
	PreviousForm *columnForm `json:"former,omitempty"`
	Source       string      `json:"source,omitempty"` // none: property
	Edm          string      `json:"edm,omitempty"`
}

type typ struct {
	Type      string   `json:"type"`
	Declared  *string  `json:"declared,omitempty"` // none: as type says
	Unsigned  bool     `json:"unsigned,omitempty"`
	Collation string   `json:"collation,omitempty"` // none: utf8mb4_0900_bin
	Length    int      `json:"length,omitempty"`
	Precision int      `json:"precision,omitempty"`
	Scale     int      `json:"scale,omitempty"`
	Members   []string `json:"members,omitempty"`
}

// initial is the value of rows that lack a property, as text. At most one of the two is present; none: NULL.
type initial struct {
	Initial       *string `json:"initial,omitempty"`
	InitialOctets []byte  `json:"initial_octets,omitempty"` // of a text that is not UTF-8, in base64
}

type columnForm struct {
	Property string `json:"property"`
	typ
	NotNull bool `json:"not_null,omitempty"`
	initial
}

// change is a change of columns and checks that is under way.
type change struct {
	Phase  string   `json:"phase"`
	Before []column `json:"columns_before,omitempty"`
}

// keyColumn names its column, as all forms below do, by the property; in an external table by the name, because keys are not properties.
type keyColumn struct {
	Column string `json:"column"`
	Desc   bool   `json:"desc,omitempty"`
	Prefix int    `json:"prefix,omitempty"`
	Cut    int    `json:"cut,omitempty"`
}

type index struct {
	Name          string      `json:"name"`
	KeyName       string      `json:"key_name,omitempty"` // none: the name
	Unique        bool        `json:"unique,omitempty"`
	Columns       []keyColumn `json:"columns"`
	State         string      `json:"state,omitempty"` // none: public
	Step          int         `json:"step,omitempty"`
	Copy          string      `json:"copy,omitempty"` // none: row
	Include       []string    `json:"include,omitempty"`
	Comment       string      `json:"comment,omitempty"`
	ForForeignKey bool        `json:"for_foreign_key,omitempty"`
	Child         string      `json:"beside,omitempty"` // the interleaved table among whose rows the entries are stored
	Global        int         `json:"global,omitempty"` // store partitions that its entries are spread over; none: those of the rows
}

type check struct {
	Name  string `json:"name"`
	SQL   string `json:"sql"`
	State string `json:"state,omitempty"` // none: public

	NotEnforced bool `json:"not_enforced,omitempty"`
}

type foreign struct {
	Name        string   `json:"name"`
	Columns     []string `json:"columns"`
	Database    string   `json:"database,omitempty"` // of the table; none: this one
	Table       string   `json:"table"`
	RefColumns  []string `json:"table_columns"`       // by their SQL names
	OnDelete    string   `json:"on_delete,omitempty"` // none: no action
	OnUpdate    string   `json:"on_update,omitempty"`
	State       string   `json:"state,omitempty"` // none: public
	NotEnforced bool     `json:"not_enforced,omitempty"`
}

// relative is a table of another database.
type relative struct {
	Database string `json:"database"`
	Table    string `json:"table"`
}

type spread struct {
	By      string   `json:"by"`
	Columns []string `json:"columns"`
	Cut     int      `json:"cut,omitempty"`
	Count   int      `json:"count,omitempty"`
}

type partitions struct {
	By        string      `json:"by"`
	Columns   []string    `json:"columns"`
	Tuple     bool        `json:"tuple,omitempty"`
	Function  string      `json:"function,omitempty"`
	Every     int64       `json:"every,omitempty"`
	Unit      string      `json:"unit,omitempty"`
	Automatic bool        `json:"automatic,omitempty"`
	List      []partition `json:"list,omitempty"`
}

type partition struct {
	Name      string `json:"name"`
	Physical  string `json:"physical,omitempty"`
	Values    string `json:"values,omitempty"`
	Spans     []span `json:"spans"`
	Made      bool   `json:"made,omitempty"`
	Opening   bool   `json:"opening,omitempty"`
	Published int64  `json:"published,omitempty"`
}

type span struct {
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

type parent struct {
	Table      string      `json:"table"`
	RowName    string      `json:"row_name,omitempty"`
	Columns    []string    `json:"columns"` // of the parent, by their SQL names
	Key        []keyColumn `json:"key"`
	ForeignKey string      `json:"foreign_key,omitempty"` // its name
	OnDelete   string      `json:"on_delete,omitempty"`
	Copies     bool        `json:"copies,omitempty"`
}

type external struct {
	Partition []piece `json:"partition_key"`
	Row       []piece `json:"row_key"`
}

// view is the query that the table stands for.
type view struct {
	Query      string   `json:"query"`
	Columns    []string `json:"columns"`
	Algorithm  string   `json:"algorithm,omitempty"` // none: undefined
	Check      string   `json:"check,omitempty"`     // none: rows are not checked
	Security   string   `json:"security,omitempty"`  // none: definer
	Updatable  bool     `json:"updatable,omitempty"`
	ANSIQuotes bool     `json:"ansi_quotes,omitempty"`
}

type piece struct {
	Text   string `json:"text,omitempty"`
	Column string `json:"column,omitempty"`
	Form   string `json:"form,omitempty"` // none: plain
	Digits int    `json:"digits,omitempty"`
}

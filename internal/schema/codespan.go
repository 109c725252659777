package schema

const (
	// Top is above every key text. It never leaves the package: where a span has no upper bound, its prefix gives one.
	Top = "\xff"
	// Behind is what follows the separator in the order of characters: code + behind is the end of all
	// keys that have the code, alone or with more columns.
	Behind = "\""
)

// CodeSpan is the codes From ≤ c < To; To "" is no upper bound.
type CodeSpan struct{ From, To string }

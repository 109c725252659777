package expr

import (
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Function is a scalar function. Functions lists all there are.
type Function struct {
	Name      string // upper case
	Signature string // "SUBSTRING(text, from[, length])"
	Family    string // "text", "number", "time", "JSON", …
	Doc       string // one line, "" if the name says it all
	Min, Max  int    // arguments; Max -1: any number

	Volatility Volatility
	Type       func(args []Node) value.Type
	Eval       func(env *Env, args []value.Value) (value.Value, error)

	aliases   []string                          // other names of the same function
	strict    bool                              // NULL among the arguments gives NULL: Eval gets none
	compares  bool                              // compares its arguments with each other
	collates  bool                              // looks for texts in others, by their collation
	condition bool                              // yields nothing but 1, 0 and NULL
	null      func(args []Node) bool            // whether it may yield NULL; nil: it may
	check     func(args []Node) error           // what Min and Max do not say
	alike     func(args []Node) ([]Node, error) // the arguments as they compare with each other; nil: as they are
	bare      *Function                         // what it is without arguments; nil: the same
	compile   func(n *Call) Func                // instead of Eval; if it returns nil, Eval is used
	simplify  func(n *Call) Node                // a constant, or the call without operands that are never computed; nil: all are
}

// registry is every function by its names.
var registry = map[string]*Function{}

// families are the lists of the functions_….go files.
func init() {
	for _, family := range [][]*Function{
		logicFunctions(), numberFunctions(), mathFunctions(), textFunctions(), searchFunctions(), codeFunctions(),
		clockFunctions(), dateFunctions(), dateMathFunctions(), dateFormatFunctions(), jsonFunctions(), jsonSearchFunctions(), jsonChangeFunctions(),
		regexpFunctions(), sessionFunctions(), idFunctions(), addressFunctions(), cipherFunctions(), bitSetFunctions(),
		periodFunctions(), zoneFunctions(), waitFunctions(), informationFunctions(), unitFunctions(), lockFunctions(),
	} {
		for _, f := range family {
			registry[f.Name] = f
			for _, alias := range f.aliases {
				registry[alias] = f
			}
		}
	}
}

// Functions lists the functions by name, aliases as entries of their own.
func Functions() []*Function {
	list := make([]*Function, 0, len(registry))
	for name, f := range registry {
		if name != f.Name {
			alias := *f
			alias.Name, alias.aliases = name, nil
			alias.Doc = "Another name of " + f.Name + "."
			alias.Signature = name + strings.TrimPrefix(f.Signature, f.Name)
			f = &alias
		}
		list = append(list, f)
	}
	sortFunctions(list)
	return list
}

func sortFunctions(list []*Function) {
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
}

func lookupFunction(name string) *Function { return registry[strings.ToUpper(name)] }

func unknownFunction(name string) error {
	upper := strings.ToUpper(name)
	return &UnknownFunctionError{Name: upper, Near: Near(upper, maps.Keys(registry))}
}

// Near are those of the candidates that name may be a misspelling of, sorted: one change away, two for longer names. Case does not matter.
func Near(name string, candidates iter.Seq[string]) []string {
	if len(name) > 64 {
		return nil
	}
	var near []string
	most := 1 + min(1, len(name)/6)
	name = strings.ToUpper(name)
	for candidate := range candidates {
		if distance(name, strings.ToUpper(candidate)) <= most {
			near = append(near, candidate)
		}
	}
	slices.Sort(near)
	return slices.Compact(near)
}

// distance is the least number of octets to insert, delete, replace, or swap with the next one.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// Result types of functions, for Function.Type.

func fixed(t value.Type) func([]Node) value.Type { return func([]Node) value.Type { return t } }

var (
	toInt    = fixed(intType)
	toDouble = fixed(doubleType)
	toText   = fixed(textType)
)

// likeArg is the text type of one argument: octets of octets, with its collation otherwise.
func likeArg(i int) func([]Node) value.Type {
	return func(args []Node) value.Type { return textLike(args[i].Type()) }
}

// likeArgs is the type of the first of these arguments; if it is a text, with the collation that all of them share.
func likeArgs(first int, more ...int) func([]Node) value.Type {
	return func(args []Node) value.Type {
		t := textLike(args[first].Type())
		if t.IsOctets() {
			return t
		}
		types := []value.Type{args[first].Type()}
		for _, i := range more {
			types = append(types, args[i].Type())
		}
		return withMix(t, types...)
	}
}

func textLike(types ...value.Type) value.Type {
	for _, t := range types {
		if t.IsOctets() || t.Base == value.TypeBit {
			return binaryType
		}
	}
	return withMix(textType, types...)
}

func typesOf(args []Node) []value.Type {
	types := make([]value.Type, len(args))
	for i, a := range args {
		types[i] = a.Type()
	}
	return types
}

// anyNull is for functions that give NULL only for NULL.
func anyNull(args []Node) bool {
	for _, a := range args {
		if MayBeNull(a) {
			return true
		}
	}
	return false
}

func neverNull([]Node) bool { return false }

// The operators that are calls without being functions: they are in no registry.
var (
	collateFunction = &Function{
		Name: "COLLATE", strict: true, null: anyNull,
		Eval: func(_ *Env, args []value.Value) (value.Value, error) {
			if k := args[0].Kind(); k == value.String || k == value.Bytes {
				return args[0], nil
			}
			return value.FromString(value.Text(args[0])), nil
		},
	}
	betweenFunction = &Function{
		Name: "BETWEEN", Min: 3, Max: 3, condition: true, compares: true, Type: toInt,
		compile: compileBetween,
	}
	systemVariableFunction = &Function{
		Name: "@@", Volatility: Stable,
		Eval: func(env *Env, args []value.Value) (value.Value, error) {
			name := strings.ToLower(args[0].Text())
			if system := env.session().System; system != nil {
				if v, ok := system(name); ok {
					return v, nil
				}
			}
			return value.NullValue, &UnknownVariableError{name}
		},
	}
	assignFunction = &Function{
		Name: ":=", Volatility: Volatile,
		Eval: func(env *Env, args []value.Value) (value.Value, error) {
			v := value.Shown(args[1])
			return v, env.session().Vars.Set(args[0].Text(), v)
		},
	}
	userVariableFunction = &Function{
		Name: "@", Volatility: Volatile, // a SELECT may set it between rows
		Eval: func(env *Env, args []value.Value) (value.Value, error) {
			return env.session().Vars.Get(args[0].Text()), nil
		},
	}
)

package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

type User struct{ ent.Schema }

func (User) Fields() []ent.Field {
	return []ent.Field{
		field.String("name").MaxLen(40).Unique(),
		field.Int("age").Positive().Default(18),
		field.Bool("active").Default(true),
		field.Float("score").Optional().Nillable(),
		field.Enum("state").Values("on", "off").Default("on"),
		field.JSON("tags", []string{}).Optional(),
		field.Bytes("photo").Optional(),
		field.Text("bio").Optional(),
		field.Time("created").Default(time.Now).Immutable(),
	}
}

func (User) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("pets", Pet.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
		edge.To("friends", User.Type),
		edge.From("groups", Group.Type).Ref("users"),
		edge.To("card", Card.Type).Unique(),
	}
}

func (User) Indexes() []ent.Index {
	return []ent.Index{index.Fields("age", "active")}
}

type Pet struct{ ent.Schema }

func (Pet) Fields() []ent.Field {
	return []ent.Field{field.String("name"), field.Uint64("chip").Optional()}
}

func (Pet) Edges() []ent.Edge {
	return []ent.Edge{edge.From("owner", User.Type).Ref("pets").Unique()}
}

func (Pet) Indexes() []ent.Index {
	return []ent.Index{index.Fields("name").Edges("owner").Unique()}
}

type Group struct{ ent.Schema }

func (Group) Fields() []ent.Field {
	return []ent.Field{field.String("name").Unique(), field.Int("size").Default(0)}
}

func (Group) Edges() []ent.Edge {
	return []ent.Edge{edge.To("users", User.Type)}
}

type Card struct{ ent.Schema }

func (Card) Fields() []ent.Field {
	return []ent.Field{field.String("number"), field.Time("expired").Optional()}
}

func (Card) Edges() []ent.Edge {
	return []ent.Edge{edge.From("owner", User.Type).Ref("card").Unique().Required()}
}

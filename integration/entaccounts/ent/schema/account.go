// Package schema is what ent generates the packages beside it from.
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
)

// Account is somebody's.
type Account struct{ ent.Schema }

// Fields of an account.
func (Account) Fields() []ent.Field {
	return []ent.Field{
		field.String("owner").Unique().NotEmpty(),
		field.Int("balance").Default(0),
	}
}

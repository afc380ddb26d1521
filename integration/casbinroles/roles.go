// Package casbinroles gives roles to users with casbin, whose policies its adapter for
// gorm stores.
//
// Each service loads the policies when it starts and then decides by its own copy:
// two services may make two users the only administrator. Casbin's unique index keeps
// one rule from being stored twice, at every level: the later service gets an error.
//
// Levels:
//
//	ExploreElect: breaks at all
//	ExploreAdd: holds at all
package casbinroles

import (
	"context"
	"database/sql"
	"errors"

	"github.com/casbin/casbin/v3"
	"github.com/casbin/casbin/v3/model"
	gormadapter "github.com/casbin/gorm-adapter/v3"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

const rules = `
[request_definition]
r = sub, obj, act

[policy_definition]
p = sub, obj, act

[role_definition]
g = _, _

[policy_effect]
e = some(where (p.eft == allow))

[matchers]
m = g(r.sub, p.sub) && r.obj == p.obj && r.act == p.act
`

// Open loads the policies of a database.
func Open(db *sql.DB) (*casbin.Enforcer, error) { return open(db, false) }

// open is Open; it makes the table if need be and if it is asked to.
func open(db *sql.DB, migrate bool) (*casbin.Enforcer, error) {
	gormDB, err := gorm.Open(postgres.New(postgres.Config{Conn: db}), &gorm.Config{Logger: logger.Discard})
	if err != nil {
		return nil, err
	}
	if !migrate {
		gormadapter.TurnOffAutoMigrate(gormDB)
	}
	adapter, err := gormadapter.NewAdapterByDB(gormDB)
	if err != nil {
		return nil, err
	}
	m, err := model.NewModelFromString(rules)
	if err != nil {
		return nil, err
	}
	return casbin.NewEnforcer(m, adapter)
}

// Elect makes a user the administrator if there is none.
func Elect(e *casbin.Enforcer, user string) (bool, error) {
	admins, err := e.GetUsersForRole("admin")
	if err != nil || len(admins) > 0 {
		return false, err
	}
	return e.AddRoleForUser(user, "admin")
}

// begin makes the table.
func begin(_ context.Context, db *sql.DB) error {
	_, err := open(db, true)
	return err
}

func explore(p *txmc.Program, work func(e *casbin.Enforcer, user string) (bool, error)) {
	db := pg.New(p, pg.SchemaFunc(begin))
	for _, user := range []string{"ann", "bob"} {
		p.Session(user, func(s *txmc.Session) {
			e, err := Open(db.Open(s))
			if err != nil {
				s.Assert(false, err)
				return
			}
			done, err := work(e, user)
			s.Observe("done", done)
			var taken *pgconn.PgError
			s.Assert(err == nil || errors.As(err, &taken) && taken.Code == "23505", err)
		})
	}
	db.Final("one administrator", func(ctx context.Context, db *sql.DB) error {
		e, err := Open(db)
		if err != nil {
			return err
		}
		admins, err := e.GetUsersForRole("admin")
		if err != nil {
			return err
		}
		return txmc.Assertf(len(admins) == 1, "administrators are %q", admins)
	})
}

// ExploreElect: two users want to be the administrator.
func ExploreElect(p *txmc.Program) { explore(p, Elect) }

// ExploreAdd: two services make the same user the administrator.
func ExploreAdd(p *txmc.Program) {
	explore(p, func(e *casbin.Enforcer, _ string) (bool, error) { return e.AddRoleForUser("zoe", "admin") })
}

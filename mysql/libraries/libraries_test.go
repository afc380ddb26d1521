// Package libraries runs other people's libraries, unmodified, on package mysql: what they
// do and observe at each level is what the same statements do by database/sql. It is a
// module of its own, so that their requirements are not those of users.
package libraries

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	gormmysql "gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"xorm.io/xorm"
	"xorm.io/xorm/log"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

const schema = `
CREATE TABLE account (
	id      BIGINT AUTO_INCREMENT PRIMARY KEY,
	owner   VARCHAR(40) NOT NULL UNIQUE,
	balance BIGINT NOT NULL,
	changed DATETIME(3) NULL
)`

const seed = "INSERT INTO account (owner, balance) VALUES ('ann', 100)"

// Account is a row.
type Account struct {
	ID      int64      `gorm:"primaryKey" xorm:"'id' pk autoincr" db:"id"`
	Owner   string     `db:"owner"`
	Balance int64      `db:"balance"`
	Changed *time.Time `db:"changed"`
}

// TableName is for gorm and xorm.
func (Account) TableName() string { return "account" }

// bank is what a library does.
type bank interface {
	// withdraw reads ann's balance and writes what it computes; locked: FOR UPDATE.
	withdraw(n int64, locked bool) error
	// open inserts an account and returns its number.
	open(owner string) (int64, error)
	// close ends its connections.
	close() error
}

var errPoor = errors.New("insufficient funds")

// plain is database/sql.
type plain struct{ db *sql.DB }

func (b plain) withdraw(n int64, locked bool) error {
	tx, err := b.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	query := "SELECT balance FROM account WHERE owner = ?"
	if locked {
		query += " FOR UPDATE"
	}
	var balance int64
	if err := tx.QueryRow(query, "ann").Scan(&balance); err != nil {
		return err
	}
	if balance < n {
		return errPoor
	}
	if _, err := tx.Exec("UPDATE account SET balance = ? WHERE id = ?", balance-n, 1); err != nil {
		return err
	}
	return tx.Commit()
}

func (b plain) open(owner string) (int64, error) {
	r, err := b.db.Exec("INSERT INTO account (owner, balance) VALUES (?, ?)", owner, 0)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

func (b plain) close() error { return b.db.Close() }

// extended is sqlx.
type extended struct{ db *sqlx.DB }

func (b extended) withdraw(n int64, locked bool) error {
	tx, err := b.db.Beginx()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	query := "SELECT * FROM account WHERE owner = ?"
	if locked {
		query += " FOR UPDATE"
	}
	var a Account
	if err := tx.Get(&a, query, "ann"); err != nil {
		return err
	}
	if a.Balance < n {
		return errPoor
	}
	a.Balance -= n
	if _, err := tx.NamedExec("UPDATE account SET balance = :balance WHERE id = :id", a); err != nil {
		return err
	}
	return tx.Commit()
}

func (b extended) open(owner string) (int64, error) {
	r, err := b.db.NamedExec("INSERT INTO account (owner, balance) VALUES (:owner, :balance)", Account{Owner: owner})
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

func (b extended) close() error { return b.db.Close() }

// object is gorm.
type object struct{ db *gorm.DB }

func (b object) withdraw(n int64, locked bool) error {
	return b.db.Transaction(func(tx *gorm.DB) error {
		find := tx
		if locked {
			find = tx.Clauses(clause.Locking{Strength: "UPDATE"})
		}
		var a Account
		if err := find.Where("owner = ?", "ann").Take(&a).Error; err != nil {
			return err
		}
		if a.Balance < n {
			return errPoor
		}
		return tx.Model(&Account{}).Where("id = ?", a.ID).Update("balance", a.Balance-n).Error
	})
}

func (b object) open(owner string) (int64, error) {
	a := Account{Owner: owner}
	err := b.db.Create(&a).Error
	return a.ID, err
}

func (b object) close() error {
	db, err := b.db.DB()
	return errors.Join(err, db.Close())
}

// mapped is xorm.
type mapped struct{ engine *xorm.Engine }

func (b mapped) withdraw(n int64, locked bool) error {
	_, err := b.engine.Transaction(func(s *xorm.Session) (any, error) {
		if locked {
			s = s.ForUpdate()
		}
		var a Account
		if ok, err := s.Where("owner = ?", "ann").Get(&a); err != nil || !ok {
			return nil, fmt.Errorf("no account: %w", err)
		}
		if a.Balance < n {
			return nil, errPoor
		}
		_, err := s.ID(a.ID).Cols("balance").Update(&Account{Balance: a.Balance - n})
		return nil, err
	})
	return err
}

func (b mapped) open(owner string) (int64, error) {
	a := Account{Owner: owner}
	_, err := b.engine.Insert(&a)
	return a.ID, err
}

func (b mapped) close() error { return b.engine.Close() }

// libraries are the banks by the names of libraries. Those that want an address get one.
var libraries = map[string]func(*mysql.DB, *program.Session) (bank, error){
	"database/sql": func(db *mysql.DB, s *program.Session) (bank, error) { return plain{db.Open(s)}, nil },
	"sqlc":         newGenerated,
	"sqlx": func(db *mysql.DB, s *program.Session) (bank, error) {
		x, err := sqlx.Connect("mysql", db.DSN(s))
		return extended{x}, err
	},
	"gorm": func(db *mysql.DB, s *program.Session) (bank, error) {
		g, err := gorm.Open(gormmysql.Open(db.DSN(s)), &gorm.Config{Logger: logger.Discard})
		return object{g}, err
	},
	"gorm, prepared": func(db *mysql.DB, s *program.Session) (bank, error) {
		g, err := gorm.Open(gormmysql.New(gormmysql.Config{Conn: db.Open(s)}), &gorm.Config{Logger: logger.Discard, PrepareStmt: true})
		return object{g}, err
	},
	"xorm": func(db *mysql.DB, s *program.Session) (bank, error) {
		e, err := xorm.NewEngine("mysql", db.DSN(s))
		if err == nil {
			e.SetLogger(log.DiscardLogger{})
		}
		return mapped{e}, err
	},
}

func TestLibraries(t *testing.T) {
	for level, locked := range map[isolation.Level]bool{isolation.RC: false, isolation.SER: true, isolation.InnoRR: false, isolation.InnoSer: true} {
		want := explore(t, libraries["database/sql"], locked, level)
		for name, open := range libraries {
			t.Run(fmt.Sprint(name, "/", level), func(t *testing.T) {
				if got := explore(t, open, locked, level); !maps.Equal(got, want) {
					t.Errorf("got %v\nwant %v", got, want)
				}
			})
		}
	}
}

// explore returns what two sessions observe, by how many histories.
func explore(t *testing.T, open func(*mysql.DB, *program.Session) (bank, error), locked bool, level isolation.Level) map[string]int {
	t.Helper()
	return exploreAt(t, level, func(p *program.Program) {
		db := mysql.New(p, mysql.Schema(schema), mysql.Seed(seed))
		for i := range 2 {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				b, err := open(db, s)
				if err != nil {
					s.Observe("connect", err)
					return
				}
				defer b.close()
				s.Observe("withdraw", result(b.withdraw(70, locked)))
				id, err := b.open("bob")
				s.Observe("open", result(err))
				s.Observe("id", id)
			})
		}
		db.Final("balance", func(ctx context.Context, db *sql.DB) error {
			var balance int64
			if err := db.QueryRow("SELECT balance FROM account WHERE owner = 'ann'").Scan(&balance); err != nil {
				return err
			}
			return program.Assertf(balance == 30, "balance %d", balance)
		})
	})
}

func exploreAt(t *testing.T, level isolation.Level, declare func(*program.Program)) map[string]int {
	t.Helper()
	c, err := program.NewClient(t.Name(), declare, program.Options{Patience: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if level.Database() != isolation.NoDatabase {
		if c, err = c.DatabaseAt(level.String()); err != nil {
			t.Fatal(err)
		}
	}
	defer c.Park()
	for range 20 {
		got, again := exploreOnce(t, c, level)
		if !again {
			return got
		}
		if err := c.Renew(); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("rows become known for ever")
	return nil
}

// result is an error by what applications look at: MySQL's number.
func result(err error) string {
	if e := (*driver.MySQLError)(nil); errors.As(err, &e) {
		return fmt.Sprint("error ", e.Number)
	}
	return fmt.Sprint(err)
}

func exploreOnce(t *testing.T, c *program.Client, level isolation.Level) (outcomes map[string]int, again bool) {
	t.Helper()
	outcomes = map[string]int{}
	x := dpor.Explore(t.Context(), c, dpor.Options{Level: level, Base: level.Base(), All: true, List: true, Workers: 1})
	for found, err := range x.Histories() {
		if errors.Is(err, program.ErrAgain) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		o := ""
		for _, n := range found.Ends {
			for _, m := range n.Path() {
				for _, e := range m.Events {
					if e.Kind == behaviour.ObserveEvent {
						o += fmt.Sprintf("%s=%v ", e.Text, c.Value(e.Val))
					}
				}
			}
		}
		for _, f := range found.Failures {
			o += "| " + f.Message
		}
		outcomes[o]++
	}
	return outcomes, errors.Is(c.Again(), program.ErrAgain)
}

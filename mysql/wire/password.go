package wire

import (
	"crypto/subtle"
	"net"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/proto/query"
)

// password is a server that lets those in who know a word, whatever user they name, by
// mysql_native_password: the word itself is not sent.
type password struct{ word string }

func authServer(word string) mysql.AuthServer {
	if word == "" {
		return mysql.NewAuthServerNone()
	}
	return password{word}
}

// AuthMethods implements mysql.AuthServer.
func (p password) AuthMethods() []mysql.AuthMethod {
	return []mysql.AuthMethod{mysql.NewMysqlNativeAuthMethod(p, p)}
}

// DefaultAuthMethodDescription implements mysql.AuthServer.
func (password) DefaultAuthMethodDescription() mysql.AuthMethodDescription {
	return mysql.MysqlNativePassword
}

// HandleUser implements mysql.UserValidator.
func (password) HandleUser(string, net.Addr) bool { return true }

// UserEntryWithHash implements mysql.HashStorage: a client that knows the word has answered
// with its hash and the salt.
func (p password) UserEntryWithHash(_ *mysql.Conn, salt []byte, user string, answer []byte, _ net.Addr) (mysql.Getter, error) {
	if subtle.ConstantTimeCompare(answer, mysql.ScrambleMysqlNativePassword(salt, []byte(p.word))) != 1 {
		return nil, mysql.NewSQLError(mysql.ERAccessDeniedError, mysql.SSAccessDeniedError, "Access denied for user '%v'", user)
	}
	return caller{}, nil
}

// caller is who has been let in.
type caller struct{}

// Get implements mysql.Getter.
func (caller) Get() *query.VTGateCallerID { return &query.VTGateCallerID{} }

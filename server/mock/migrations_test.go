package mock

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
)

// Migrations of Django and of Rails run unmodified on a server without a schema.
func TestMigrationsOfOthers(t *testing.T) {
	deadlinetest.Long(t)
	for _, level := range []isolation.Level{isolation.PgRC, isolation.RC} {
		_, dsn := start(t, Options{Level: level}, "")
		port := dsn[strings.LastIndexByte(dsn, ':')+1:]
		port, _, _ = strings.Cut(port, "/")
		for _, client := range []struct{ name, there, program, says string }{
			{"/usr/bin/python3", "import django, psycopg2", djangoMigrates, "1 1"},
			{"ruby", "require 'active_record'; require 'pg'", railsMigrates, "1 0 later posts"},
		} {
			flag := map[bool]string{true: "-c", false: "-e"}[strings.Contains(client.name, "python")]
			if exec.CommandContext(t.Context(), client.name, flag, client.there).Run() != nil {
				t.Logf("left out: %s cannot %s", client.name, client.there)
				continue
			}
			file := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(file, []byte(client.program), 0o600); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(run(t, "", client.name, file, port)), "\n")
			if got := lines[len(lines)-1]; got != client.says {
				t.Errorf("%s: %s says %q, want %q", level, client.name, got, client.says)
			}
		}
	}
}

const djangoMigrates = `
import sys, django
from django.conf import settings
from django.core.management import call_command
settings.configure(INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes"], USE_TZ=True, SECRET_KEY="x", DATABASES={"default":
    {"ENGINE": "django.db.backends.postgresql", "NAME": "postgres", "USER": "postgres", "HOST": "127.0.0.1", "PORT": sys.argv[1]}})
django.setup()
call_command("migrate", verbosity=0)
from django.contrib.auth.models import User
User.objects.create_user("zoe")
print(User.objects.count(), User.objects.get().id)
`

const railsMigrates = `
require 'active_record'
ActiveRecord::Base.establish_connection(adapter: 'postgresql', host: '127.0.0.1', port: ARGV[0].to_i, username: 'postgres', database: 'postgres')
ActiveRecord::Migration.verbose = false
class Posts < ActiveRecord::Migration[6.1]
  def change
    create_table(:posts) { |t| t.string :title, null: false; t.timestamps }
    add_index :posts, :title, unique: true
  end
end
class Counts < ActiveRecord::Migration[6.1]
  def change = add_column(:posts, :n, :integer, default: 0)
end
migrations = [Posts, Counts].each_with_index.map { |m, i| m.new(m.name, i + 1) }
migrations.each { |m| m.define_singleton_method(:disable_ddl_transaction) { false }; m.define_singleton_method(:scope) { '' }; m.define_singleton_method(:filename) { '' } }
ActiveRecord::Migrator.new(:up, migrations, ActiveRecord::SchemaMigration).migrate
class Post < ActiveRecord::Base; end
Post.create!(title: 'a')
ActiveRecord::Base.connection.create_table(:later) { |t| t.string :x }
puts [Post.count, Post.first.n, *(ActiveRecord::Base.connection.tables & %w[later posts]).sort].join(' ')
`

# A library: WEBrick and pg, a connection for each thread. A book is lent once, and a reader has at most two books.
# FIX=1 mends the mistakes.
require "json"
require "pg"
require "webrick"

LOCKED = ENV["FIX"] ? " FOR UPDATE" : ""

def connection
  Thread.current[:db] ||= PG.connect(ENV.fetch("DATABASE_URL"))
end

def install(db, _)
  db.exec("CREATE TABLE book (id int PRIMARY KEY, reader text)")
  db.exec("CREATE TABLE reader (name text PRIMARY KEY)")
  db.exec("INSERT INTO book VALUES (1), (2), (3)")
  db.exec("INSERT INTO reader VALUES ('ann'), ('bob')")
  [201, {}]
end

def lend(db, q)
  db.exec_params("SELECT name FROM reader WHERE name = $1#{LOCKED}", [q["reader"]])
  n = db.exec_params("SELECT count(*) FROM book WHERE reader = $1", [q["reader"]]).getvalue(0, 0).to_i
  return [409, { error: "two already" }] if n >= 2

  holder = db.exec_params("SELECT reader FROM book WHERE id = $1#{LOCKED}", [q["book"]]).getvalue(0, 0)
  return [409, { error: "lent" }] if holder

  db.exec_params("UPDATE book SET reader = $1 WHERE id = $2", [q["reader"], q["book"]])
  [200, { lent: q["book"] }]
end

HANDLERS = { "/install" => method(:install), "/lend" => method(:lend) }.freeze

server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: ENV.fetch("PORT").to_i, AccessLog: [],
                                 Logger: WEBrick::Log.new(File::NULL))
server.mount_proc("/") do |request, response|
  if request.path == "/health"
    response.body = "ok"
    next
  end
  db = connection
  status, body = db.transaction { HANDLERS.fetch(request.path).call(db, JSON.parse(request.body || "{}")) }
  response.status = status
  response.body = JSON.generate(body)
rescue PG::TRSerializationFailure, PG::TRDeadlockDetected => e
  response.status = 503
  response.body = e.class.name
end
trap("TERM") { server.shutdown }
server.start

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;

/** Bookings of rooms: the JDK's own server and JDBC, one connection for all requests of a process. FIX=1 mends the mistake. */
public class Booking {
    private static final String LOCKED = System.getenv("FIX") == null ? "" : " FOR UPDATE";
    private static Connection connection;

    public static void main(String[] args) throws IOException {
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("PORT"))), 0);
        server.createContext("/health", e -> answer(e, 200, "ok"));
        server.createContext("/install", e -> serve(e, Booking::install));
        server.createContext("/book", e -> serve(e, Booking::book));
        server.setExecutor(Executors.newSingleThreadExecutor());
        server.start();
    }

    private interface Handler {
        int handle(Connection db, Map<String, String> query) throws SQLException;
    }

    private static int install(Connection db, Map<String, String> query) throws SQLException {
        try (var s = db.createStatement()) {
            s.execute("CREATE TABLE room (id int PRIMARY KEY, beds int NOT NULL)");
            s.execute("CREATE TABLE booking (room int NOT NULL REFERENCES room, guest text NOT NULL, nights int4range NOT NULL)");
            s.execute("INSERT INTO room VALUES (1, 2), (2, 1)");
        }
        return 201;
    }

    /** Books a room for some nights, from which no other guest has it. */
    private static int book(Connection db, Map<String, String> query) throws SQLException {
        int room = Integer.parseInt(query.get("room"));
        try (PreparedStatement s = db.prepareStatement("SELECT beds FROM room WHERE id = ?" + LOCKED)) {
            s.setInt(1, room);
            try (ResultSet r = s.executeQuery()) {
                if (!r.next()) {
                    return 404;
                }
            }
        }
        try (PreparedStatement s = db.prepareStatement("SELECT guest FROM booking WHERE room = ? AND nights && int4range(?, ?)")) {
            s.setInt(1, room);
            s.setInt(2, Integer.parseInt(query.get("from")));
            s.setInt(3, Integer.parseInt(query.get("to")));
            try (ResultSet r = s.executeQuery()) {
                if (r.next()) {
                    return 409;
                }
            }
        }
        try (PreparedStatement s = db.prepareStatement("INSERT INTO booking VALUES (?, ?, int4range(?, ?))")) {
            s.setInt(1, room);
            s.setString(2, query.get("guest"));
            s.setInt(3, Integer.parseInt(query.get("from")));
            s.setInt(4, Integer.parseInt(query.get("to")));
            s.executeUpdate();
        }
        return 200;
    }

    private static void serve(HttpExchange e, Handler handler) throws IOException {
        var query = new TreeMap<String, String>();
        if (e.getRequestURI().getQuery() != null) {
            for (String pair : e.getRequestURI().getQuery().split("&")) {
                String[] nameValue = pair.split("=", 2);
                query.put(nameValue[0], nameValue[1]);
            }
        }
        int status = 503;
        try {
            if (connection == null || connection.isClosed()) {
                var url = URI.create(System.getenv("DATABASE_URL"));
                String[] user = url.getUserInfo().split(":", 2);
                connection = DriverManager.getConnection("jdbc:postgresql://" + url.getHost() + ":" + url.getPort() + url.getPath(), user[0], user[1]);
            }
            connection.setAutoCommit(false);
            try {
                status = handler.handle(connection, query);
                connection.commit();
            } catch (SQLException failed) {
                failed.printStackTrace();
                connection.rollback();
            }
        } catch (SQLException failed) {
            failed.printStackTrace();
            connection = null;
        }
        answer(e, status, "");
    }

    private static void answer(HttpExchange e, int status, String body) throws IOException {
        byte[] b = body.getBytes(StandardCharsets.UTF_8);
        e.sendResponseHeaders(status, b.length == 0 ? -1 : b.length);
        e.getResponseBody().write(b);
        e.close();
    }
}

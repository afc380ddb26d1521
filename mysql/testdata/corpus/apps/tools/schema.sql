CREATE TABLE `schema_migrations` (`version` BIGINT NOT NULL PRIMARY KEY, `dirty` BOOLEAN NOT NULL);
CREATE TABLE goose_db_version (id SERIAL NOT NULL, version_id BIGINT NOT NULL, is_applied BOOLEAN NOT NULL, tstamp TIMESTAMP NULL DEFAULT NOW(), PRIMARY KEY (id));
CREATE TABLE authors (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(100) NOT NULL DEFAULT 'x' COMMENT 'full name', bio TEXT, score DECIMAL(8,3) DEFAULT 1.5, kind ENUM('a','b') DEFAULT 'a', at DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3), UNIQUE KEY uq_name (name), KEY idx_kind_at (kind, at)) COMMENT='people';
CREATE TABLE books (id INT NOT NULL AUTO_INCREMENT, author_id BIGINT UNSIGNED NULL, title VARCHAR(50) COLLATE utf8mb4_bin, PRIMARY KEY (id), CONSTRAINT fk_books_author FOREIGN KEY (author_id) REFERENCES authors (id) ON DELETE SET NULL ON UPDATE CASCADE);
CREATE VIEW titles AS SELECT b.id, b.title, a.name FROM books b LEFT JOIN authors a ON a.id = b.author_id;

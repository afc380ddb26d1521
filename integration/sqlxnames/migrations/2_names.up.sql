INSERT INTO member (email) VALUES ('zoe@example.org');
ALTER TABLE member ADD COLUMN name text;
UPDATE member SET name = split_part(email, '@', 1);
ALTER TABLE member ALTER COLUMN name SET NOT NULL;
CREATE INDEX member_name ON member (name);

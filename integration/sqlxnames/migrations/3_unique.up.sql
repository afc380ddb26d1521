ALTER TABLE member ADD CONSTRAINT member_name_unique UNIQUE (name);

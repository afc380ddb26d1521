ALTER TABLE member DROP CONSTRAINT member_name_unique;

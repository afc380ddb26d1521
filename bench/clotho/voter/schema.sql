CREATE TABLE contestants (
	contestant_number int PRIMARY KEY,
	contestant_name   varchar(50) NOT NULL
);
CREATE TABLE area_code_state (
	area_code smallint PRIMARY KEY,
	state     varchar(2) NOT NULL
);
CREATE TABLE votes (
	vote_id           bigserial PRIMARY KEY,
	phone_number      bigint NOT NULL,
	state             varchar(2) NOT NULL,
	contestant_number int NOT NULL REFERENCES contestants,
	created           timestamp NOT NULL DEFAULT '2024-01-01'
);
CREATE INDEX votes_phone ON votes (phone_number);

CREATE TABLE user_profiles (
	uid       int PRIMARY KEY,
	name      varchar(255),
	partition int
);
CREATE TABLE followers (
	f1 int NOT NULL REFERENCES user_profiles,
	f2 int NOT NULL REFERENCES user_profiles,
	PRIMARY KEY (f1, f2)
);
CREATE TABLE follows (
	f1 int NOT NULL REFERENCES user_profiles,
	f2 int NOT NULL REFERENCES user_profiles,
	PRIMARY KEY (f1, f2)
);
CREATE TABLE tweets (
	id   bigserial PRIMARY KEY,
	uid  int NOT NULL REFERENCES user_profiles,
	text varchar(140) NOT NULL
);

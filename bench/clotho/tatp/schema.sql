CREATE TABLE subscriber (
	s_id         int PRIMARY KEY,
	sub_nbr      varchar(15) NOT NULL UNIQUE,
	bit_1        smallint,
	msc_location int,
	vlr_location int
);
CREATE TABLE access_info (
	s_id    int NOT NULL REFERENCES subscriber,
	ai_type smallint NOT NULL,
	data1   smallint,
	data2   smallint,
	PRIMARY KEY (s_id, ai_type)
);
CREATE TABLE special_facility (
	s_id      int NOT NULL REFERENCES subscriber,
	sf_type   smallint NOT NULL,
	is_active smallint NOT NULL,
	data_a    smallint,
	PRIMARY KEY (s_id, sf_type)
);
CREATE TABLE call_forwarding (
	s_id       int NOT NULL,
	sf_type    smallint NOT NULL,
	start_time smallint NOT NULL,
	end_time   smallint,
	numberx    varchar(15),
	PRIMARY KEY (s_id, sf_type, start_time),
	FOREIGN KEY (s_id, sf_type) REFERENCES special_facility (s_id, sf_type)
);

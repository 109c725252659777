CREATE TABLE pilot (
  id   INT          NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(60)  NOT NULL UNIQUE,
  rank_ ENUM('captain','first') NOT NULL DEFAULT 'first',
  hours DECIMAL(8,1) NOT NULL DEFAULT 0,
  born DATE,
  active TINYINT(1) NOT NULL DEFAULT 1,
  created_at DATETIME NOT NULL,
  updated_at DATETIME NOT NULL
);
CREATE TABLE jet (
  id       BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  pilot_id INT,
  age      INT NOT NULL,
  name     VARCHAR(60) NOT NULL,
  color    VARCHAR(20),
  data     JSON,
  CONSTRAINT jet_pilot FOREIGN KEY (pilot_id) REFERENCES pilot (id)
);
CREATE TABLE language (
  id   INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(40) NOT NULL
);
CREATE TABLE pilot_language (
  pilot_id    INT NOT NULL,
  language_id INT NOT NULL,
  PRIMARY KEY (pilot_id, language_id),
  CONSTRAINT pl_pilot FOREIGN KEY (pilot_id) REFERENCES pilot (id),
  CONSTRAINT pl_language FOREIGN KEY (language_id) REFERENCES language (id)
);
CREATE VIEW jets_of AS SELECT p.name AS pilot, COUNT(j.id) AS jets FROM pilot p LEFT JOIN jet j ON j.pilot_id = p.id GROUP BY p.id, p.name;

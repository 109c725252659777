CREATE TABLE author (
  id   BIGINT      NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(50) NOT NULL,
  bio  TEXT,
  born DATE,
  UNIQUE KEY author_name (name)
);

CREATE TABLE book (
  id        BIGINT        NOT NULL AUTO_INCREMENT PRIMARY KEY,
  author_id BIGINT        NOT NULL,
  title     VARCHAR(100)  NOT NULL,
  price     DECIMAL(10,2) NOT NULL DEFAULT 0,
  status    ENUM('draft','printed','sold') NOT NULL DEFAULT 'draft',
  tags      JSON,
  added     DATETIME      NOT NULL DEFAULT CURRENT_TIMESTAMP,
  KEY book_author (author_id),
  CONSTRAINT book_author_fk FOREIGN KEY (author_id) REFERENCES author (id) ON DELETE CASCADE
);

-- A shop: its customers and what they ordered.
CREATE TABLE customer (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(40) NOT NULL, email VARCHAR(60), UNIQUE KEY (email));
CREATE TABLE orders (id INT PRIMARY KEY, customer INT NOT NULL, total DECIMAL(8,2), created_at DATETIME, KEY (customer));
INSERT INTO customer (name, email) VALUES ('Ann; Bo', 'ann@example.com');

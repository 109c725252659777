-- phpMyAdmin SQL Dump
-- version 5.2.1deb3
-- https://www.phpmyadmin.net/
--
-- Host: localhost:3306
-- Generation Time: May 14, 2025 at 09:31 AM
-- Server version: 10.11.11-MariaDB-0+deb12u1
-- PHP Version: 8.2.28

SET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";
START TRANSACTION;
SET time_zone = "+00:00";


/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;

--
-- Database: `shop`
--

-- --------------------------------------------------------

--
-- Table structure for table `category`
--

CREATE TABLE `category` (
  `id` smallint(5) UNSIGNED NOT NULL,
  `parent` smallint(5) UNSIGNED DEFAULT NULL,
  `title` varchar(80) NOT NULL COMMENT 'as shown; (never, empty)'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

--
-- Dumping data for table `category`
--

INSERT INTO `category` (`id`, `parent`, `title`) VALUES
(1, NULL, 'Books'),
(2, 1, 'Cooking, \"quick\" & slow'),
(3, 1, 'O\'Reilly; and others'),
(7, NULL, 'Spielzeug für Größere');

-- --------------------------------------------------------

--
-- Table structure for table `customer`
--

CREATE TABLE `customer` (
  `id` int(11) NOT NULL,
  `email` varchar(190) NOT NULL,
  `name` varchar(100) DEFAULT NULL,
  `status` enum('new','active','it''s gone') NOT NULL DEFAULT 'new',
  `credit` decimal(10,2) NOT NULL DEFAULT 0.00,
  `photo` blob DEFAULT NULL,
  `settings` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`settings`)),
  `created` datetime NOT NULL DEFAULT current_timestamp(),
  `changed` timestamp NULL DEFAULT NULL ON UPDATE current_timestamp()
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci COMMENT='who buys';

--
-- Dumping data for table `customer`
--

INSERT INTO `customer` (`id`, `email`, `name`, `status`, `credit`, `photo`, `settings`, `created`, `changed`) VALUES
(1, 'ann@example.com', 'Ann', 'active', 12.50, 0x89504e470d0a1a0a00, '{\"theme\":\"dark\"}', '2024-01-01 00:00:00', NULL),
(2, 'bob@example.com', NULL, 'it\'s gone', -3.00, NULL, NULL, '2024-01-02 10:11:12', '2024-03-31 02:30:00'),
(5, 'eve@example.com', 'Eve\r\nof two lines', 'new', 0.00, '', '[]', '2024-02-29 23:59:59', NULL);

-- --------------------------------------------------------

--
-- Table structure for table `log`
--

CREATE TABLE `log` (
  `at` datetime NOT NULL,
  `what` text DEFAULT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

--
-- Dumping data for table `log`
--

INSERT INTO `log` (`at`, `what`) VALUES
('2024-01-01 00:00:00', 'ALTER TABLE `log` ADD PRIMARY KEY (`at`);'),
('2024-01-01 00:00:00', NULL);

-- --------------------------------------------------------

--
-- Stand-in structure for view `open_orders`
-- (See below for the actual view)
--
CREATE TABLE `open_orders` (
`id` bigint(20)
,`email` varchar(190)
);

-- --------------------------------------------------------

--
-- Table structure for table `order`
--

CREATE TABLE `order` (
  `id` bigint(20) NOT NULL,
  `customer_id` int(11) NOT NULL,
  `parent_id` bigint(20) DEFAULT NULL,
  `paid` tinyint(1) NOT NULL DEFAULT 0
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

--
-- Dumping data for table `order`
--

INSERT INTO `order` (`id`, `customer_id`, `parent_id`, `paid`) VALUES
(10, 1, NULL, 1),
(11, 1, 10, 0),
(12, 5, NULL, 0);

-- --------------------------------------------------------

--
-- Table structure for table `order_category`
--

CREATE TABLE `order_category` (
  `order_id` bigint(20) NOT NULL,
  `category_id` smallint(5) UNSIGNED NOT NULL,
  `amount` int(11) NOT NULL DEFAULT 1
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

--
-- Dumping data for table `order_category`
--

INSERT INTO `order_category` (`order_id`, `category_id`, `amount`) VALUES
(10, 1, 1),
(10, 2, 3),
(12, 7, 2);

-- --------------------------------------------------------

--
-- Structure for view `open_orders`
--
DROP TABLE IF EXISTS `open_orders`;

CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `open_orders`  AS SELECT `o`.`id` AS `id`, `c`.`email` AS `email` FROM (`order` `o` join `customer` `c` on(`c`.`id` = `o`.`customer_id`)) WHERE `o`.`paid` = 0 ;

--
-- Indexes for dumped tables
--

--
-- Indexes for table `category`
--
ALTER TABLE `category`
  ADD PRIMARY KEY (`id`),
  ADD UNIQUE KEY `title` (`title`),
  ADD KEY `parent` (`parent`);

--
-- Indexes for table `customer`
--
ALTER TABLE `customer`
  ADD PRIMARY KEY (`id`),
  ADD UNIQUE KEY `email` (`email`),
  ADD KEY `name_created` (`name`(20),`created`);

--
-- Indexes for table `order`
--
ALTER TABLE `order`
  ADD PRIMARY KEY (`id`),
  ADD KEY `customer_id` (`customer_id`),
  ADD KEY `parent_id` (`parent_id`);

--
-- Indexes for table `order_category`
--
ALTER TABLE `order_category`
  ADD PRIMARY KEY (`order_id`,`category_id`),
  ADD KEY `category_id` (`category_id`);

--
-- AUTO_INCREMENT for dumped tables
--

--
-- AUTO_INCREMENT for table `category`
--
ALTER TABLE `category`
  MODIFY `id` smallint(5) UNSIGNED NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=8;

--
-- AUTO_INCREMENT for table `customer`
--
ALTER TABLE `customer`
  MODIFY `id` int(11) NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=20;

--
-- AUTO_INCREMENT for table `order`
--
ALTER TABLE `order`
  MODIFY `id` bigint(20) NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=13;

--
-- Constraints for dumped tables
--

--
-- Constraints for table `category`
--
ALTER TABLE `category`
  ADD CONSTRAINT `category_ibfk_1` FOREIGN KEY (`parent`) REFERENCES `category` (`id`) ON DELETE SET NULL ON UPDATE CASCADE;

--
-- Constraints for table `order`
--
ALTER TABLE `order`
  ADD CONSTRAINT `order_ibfk_1` FOREIGN KEY (`customer_id`) REFERENCES `customer` (`id`),
  ADD CONSTRAINT `order_ibfk_2` FOREIGN KEY (`parent_id`) REFERENCES `order` (`id`) ON DELETE CASCADE;

--
-- Constraints for table `order_category`
--
ALTER TABLE `order_category`
  ADD CONSTRAINT `order_category_ibfk_1` FOREIGN KEY (`order_id`) REFERENCES `order` (`id`) ON DELETE CASCADE,
  ADD CONSTRAINT `order_category_ibfk_2` FOREIGN KEY (`category_id`) REFERENCES `category` (`id`);
COMMIT;

/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;

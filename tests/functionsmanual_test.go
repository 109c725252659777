package tests

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// manual are the examples of MySQL 8.0's manual, by page, with the answers that it prints. NULL is the answer for NULL.
var manual = []struct {
	page     string
	examples [][2]string
}{
	{"String Functions and Operators", [][2]string{
		{`ASCII('2')`, `50`}, {`ASCII(2)`, `50`}, {`ASCII('dx')`, `100`},
		{`BIN(12)`, `1100`},
		{`BIT_LENGTH('text')`, `32`},
		{`CHAR(77,121,83,81,'76')`, `MySQL`}, {`CHAR(77,77.3,'77.3')`, `MMM`},
		{`HEX(CHAR(1,0))`, `0100`}, {`HEX(CHAR(256))`, `0100`}, {`HEX(CHAR(1,0,0))`, `010000`}, {`HEX(CHAR(256*256))`, `010000`},
		{`CHAR(77,121,83,81,'76' USING utf8mb4)`, `MySQL`},
		{`CONCAT('My', 'S', 'QL')`, `MySQL`}, {`CONCAT('My', NULL, 'QL')`, `NULL`}, {`CONCAT(14.3)`, `14.3`}, {`'My' 'S' 'QL'`, `MySQL`},
		{`CONCAT_WS(',','First name','Second name','Last Name')`, `First name,Second name,Last Name`},
		{`CONCAT_WS(',','First name',NULL,'Last Name')`, `First name,Last Name`},
		{`ELT(1, 'Aa', 'Bb', 'Cc', 'Dd')`, `Aa`}, {`ELT(4, 'Aa', 'Bb', 'Cc', 'Dd')`, `Dd`},
		{`EXPORT_SET(5,'Y','N',',',4)`, `Y,N,Y,N`}, {`EXPORT_SET(6,'1','0',',',10)`, `0,1,1,0,0,0,0,0,0,0`},
		{`FIELD('Bb', 'Aa', 'Bb', 'Cc', 'Dd', 'Ff')`, `2`}, {`FIELD('Gg', 'Aa', 'Bb', 'Cc', 'Dd', 'Ff')`, `0`},
		{`FIND_IN_SET('b','a,b,c,d')`, `2`},
		{`FORMAT(12332.123456, 4)`, `12,332.1235`}, {`FORMAT(12332.1,4)`, `12,332.1000`}, {`FORMAT(12332.2,0)`, `12,332`},

		{`TO_BASE64('abc')`, `YWJj`}, {`FROM_BASE64(TO_BASE64('abc'))`, `abc`},
		{`X'616263'`, `abc`}, {`HEX('abc')`, `616263`}, {`UNHEX(HEX('abc'))`, `abc`}, {`HEX(255)`, `FF`}, {`CONV(HEX(255),16,10)`, `255`},
		{`INSERT('Quadratic', 3, 4, 'What')`, `QuWhattic`}, {`INSERT('Quadratic', -1, 4, 'What')`, `Quadratic`}, {`INSERT('Quadratic', 3, 100, 'What')`, `QuWhat`},
		{`INSTR('foobarbar', 'bar')`, `4`}, {`INSTR('xbar', 'foobar')`, `0`},
		{`LEFT('foobarbar', 5)`, `fooba`}, {`LENGTH('text')`, `4`},
		{`LOCATE('bar', 'foobarbar')`, `4`}, {`LOCATE('xbar', 'foobar')`, `0`}, {`LOCATE('bar', 'foobarbar', 5)`, `7`},
		{`LOWER('QUADRATICALLY')`, `quadratically`},
		{`LPAD('hi',4,'??')`, `??hi`}, {`LPAD('hi',1,'??')`, `h`}, {`LTRIM('  barbar')`, `barbar`},
		{`MAKE_SET(1,'a','b','c')`, `a`}, {`MAKE_SET(1 | 4,'hello','nice','world')`, `hello,world`},
		{`MAKE_SET(1 | 4,'hello','nice',NULL,'world')`, `hello`}, {`MAKE_SET(0,'a','b','c')`, ``},
		{`OCT(12)`, `14`}, {`ORD('2')`, `50`}, {`QUOTE('Don\'t!')`, `'Don\'t!'`}, {`QUOTE(NULL)`, `NULL`},
		{`REPEAT('MySQL', 3)`, `MySQLMySQLMySQL`}, {`REPLACE('www.mysql.com', 'w', 'Ww')`, `WwWwWw.mysql.com`}, {`REVERSE('abc')`, `cba`},
		{`RIGHT('foobarbar', 4)`, `rbar`}, {`RPAD('hi',5,'?')`, `hi???`}, {`RPAD('hi',1,'?')`, `h`}, {`RTRIM('barbar   ')`, `barbar`},
		{`SOUNDEX('Hello')`, `H400`}, {`SOUNDEX('Quadratically')`, `Q36324`}, {`'Hello' SOUNDS LIKE 'Halo'`, `1`}, {`SPACE(6)`, `      `},
		{`SUBSTRING('Quadratically',5)`, `ratically`}, {`SUBSTRING('foobarbar' FROM 4)`, `barbar`}, {`SUBSTRING('Quadratically',5,6)`, `ratica`},
		{`SUBSTRING('Sakila', -3)`, `ila`}, {`SUBSTRING('Sakila', -5, 3)`, `aki`}, {`SUBSTRING('Sakila' FROM -4 FOR 2)`, `ki`},
		{`SUBSTRING_INDEX('www.mysql.com', '.', 2)`, `www.mysql`}, {`SUBSTRING_INDEX('www.mysql.com', '.', -2)`, `mysql.com`},
		{`TRIM('  bar   ')`, `bar`}, {`TRIM(LEADING 'x' FROM 'xxxbarxxx')`, `barxxx`}, {`TRIM(BOTH 'x' FROM 'xxxbarxxx')`, `bar`},
		{`TRIM(TRAILING 'xyz' FROM 'barxxyz')`, `barx`}, {`UNHEX('4D7953514C')`, `MySQL`}, {`HEX(UNHEX('4D7953514C'))`, `4D7953514C`}, {`UPPER('Hej')`, `HEJ`},
		{`'a' = 'a '`, `0`}, {`'David!' LIKE 'David_'`, `1`}, {`'David!' LIKE '%D%v%'`, `1`}, {`'David!' LIKE 'David\_'`, `0`}, {`'David_' LIKE 'David\_'`, `1`},
		{`'David_' LIKE 'David|_' ESCAPE '|'`, `1`}, {`'abc' LIKE BINARY 'ABC'`, `0`}, {`10 LIKE '1%'`, `1`}, {`'a' LIKE 'ae'`, `0`},
		{`STRCMP('text', 'text2')`, `-1`}, {`STRCMP('text2', 'text')`, `1`}, {`STRCMP('text', 'text')`, `0`},
		{`'Michael!' REGEXP '.*'`, `1`}, {`'new*\n*line' REGEXP 'new\\*.\\*line'`, `0`}, {`'a' REGEXP '^[a-d]'`, `1`},
		{`REGEXP_INSTR('dog cat dog', 'dog')`, `1`}, {`REGEXP_INSTR('dog cat dog', 'dog', 2)`, `9`}, {`REGEXP_INSTR('aa aaa aaaa', 'a{2}')`, `1`},
		{`REGEXP_INSTR('aa aaa aaaa', 'a{4}')`, `8`}, {`REGEXP_LIKE('CamelCase', 'CAMELCASE' COLLATE utf8mb4_0900_as_cs)`, `0`}, {`REGEXP_LIKE('abc', 'ABC', 'c')`, `0`},
		{`REGEXP_REPLACE('a b c', 'b', 'X')`, `a X c`}, {`REGEXP_REPLACE('abc def ghi', '[a-z]+', 'X', 1, 3)`, `abc def X`},
		{`REGEXP_SUBSTR('abc def ghi', '[a-z]+')`, `abc`}, {`REGEXP_SUBSTR('abc def ghi', '[a-z]+', 1, 3)`, `ghi`},
		{`REGEXP_LIKE('fo\nfo', '^fo$')`, `0`}, {`REGEXP_LIKE('fofo', '^f.*$')`, `1`}, {`REGEXP_LIKE('Ban', '^Ba*n')`, `1`}, {`REGEXP_LIKE('Bn', '^Ba+n')`, `0`},
		{`REGEXP_LIKE('pix', '^(pi|apa)$')`, `0`}, {`REGEXP_LIKE('aXbc', '[^a-dXYZ]')`, `0`}, {`REGEXP_LIKE('justalnums', '[[:alnum:]]+')`, `1`},
		{`REGEXP_LIKE('1+2', '1\\+2')`, `1`}, {`REGEXP_LIKE('abcde', 'a[bcd]{2}e')`, `0`}, {`REGEXP_LIKE('abcde', 'a[bcd]{1,10}e')`, `1`},
	}},
	{"Numeric Functions and Operators", [][2]string{
		{`3+5`, `8`}, {`3-5`, `-2`}, {`- 2`, `-2`}, {`3*5`, `15`}, {`18014398509481984*18014398509481984.0`, `324518553658426726783156020576256.0`},
		{`3/5`, `0.6000`}, {`102/(1-1)`, `NULL`}, {`5 DIV 2`, `2`}, {`-5 DIV 2`, `-2`}, {`5 DIV -2`, `-2`}, {`-5 DIV -2`, `2`},
		{`ABS(2)`, `2`}, {`ABS(-32)`, `32`}, {`ACOS(1)`, `0`}, {`ACOS(1.0001)`, `NULL`}, {`ACOS(0)`, `1.5707963267948966`},
		{`ATAN(2)`, `1.1071487177940904`}, {`ATAN(-2)`, `-1.1071487177940904`},
		{`ATAN(-2,2)`, `-0.7853981633974483`}, {`ATAN2(PI(),0)`, `1.5707963267948966`}, {`CEILING(1.23)`, `2`}, {`CEILING(-1.23)`, `-1`},
		{`CONV('a',16,2)`, `1010`}, {`CONV('6E',18,8)`, `172`}, {`CONV(-17,10,-18)`, `-H`}, {`CONV(10+'10'+'10'+X'0a',10,10)`, `40`},
		{`COS(PI())`, `-1`}, {`COT(0)`, `error 1690`}, {`CRC32('MySQL')`, `3259397556`}, {`CRC32('mysql')`, `2501908538`},
		{`DEGREES(PI())`, `180`}, {`DEGREES(PI() / 2)`, `90`}, {`EXP(2)`, `7.38905609893065`}, {`EXP(-2)`, `0.1353352832366127`}, {`EXP(0)`, `1`},
		{`FLOOR(1.23)`, `1`}, {`FLOOR(-1.23)`, `-2`}, {`LN(2)`, `0.6931471805599453`}, {`LN(-2)`, `NULL`}, {`LOG(2)`, `0.6931471805599453`}, {`LOG(-2)`, `NULL`},
		{`LOG(2,65536)`, `16`}, {`LOG(10,100)`, `2`}, {`LOG(1,100)`, `NULL`}, {`LOG2(65536)`, `16`}, {`LOG2(-100)`, `NULL`}, {`LOG10(2)`, `0.3010299956639812`},
		{`LOG10(100)`, `2`}, {`LOG10(-100)`, `NULL`}, {`MOD(234, 10)`, `4`}, {`253 % 7`, `1`}, {`MOD(29,9)`, `2`}, {`29 MOD 9`, `2`}, {`MOD(34.5,3)`, `1.5`},
		{`PI()+0.000000000000000000`, `3.141592653589793`}, {`POW(2,2)`, `4`}, {`POW(2,-2)`, `0.25`}, {`RADIANS(90)`, `1.5707963267948966`},
		{`ROUND(-1.23)`, `-1`}, {`ROUND(-1.58)`, `-2`}, {`ROUND(1.58)`, `2`}, {`ROUND(1.298, 1)`, `1.3`}, {`ROUND(1.298, 0)`, `1`}, {`ROUND(23.298, -1)`, `20`},
		{`ROUND(150.000,2)`, `150.00`}, {`ROUND(150,2)`, `150`},
		{`ROUND(2.5)`, `3`}, {`ROUND(25E-1)`, `2`}, {`SIGN(-32)`, `-1`}, {`SIGN(0)`, `0`}, {`SIGN(234)`, `1`},
		{`ROUND(SIN(PI()))`, `0`}, {`SQRT(4)`, `2`}, {`SQRT(20)`, `4.47213595499958`}, {`SQRT(-16)`, `NULL`},
		{`TRUNCATE(1.223,1)`, `1.2`}, {`TRUNCATE(1.999,1)`, `1.9`}, {`TRUNCATE(1.999,0)`, `1`}, {`TRUNCATE(-1.999,1)`, `-1.9`}, {`TRUNCATE(122,-2)`, `100`},
		{`TRUNCATE(10.28*100,0)`, `1028`},
	}},
	{"Date and Time Functions", [][2]string{
		{`DATE_ADD('2008-01-02', INTERVAL 31 DAY)`, `2008-02-02`}, {`ADDDATE('2008-01-02', INTERVAL 31 DAY)`, `2008-02-02`}, {`ADDDATE('2008-01-02', 31)`, `2008-02-02`},
		{`ADDTIME('2007-12-31 23:59:59.999999', '1 1:1:1.000002')`, `2008-01-02 01:01:01.000001`},
		{`ADDTIME('01:59:59.999999', '01:59:59.999999')`, `03:59:59.999998`},
		{`CONVERT_TZ('2004-01-01 12:00:00','GMT','MET')`, `2004-01-01 13:00:00`}, {`CONVERT_TZ('2004-01-01 12:00:00','+00:00','+10:00')`, `2004-01-01 22:00:00`},
		{`DATE('2003-12-31 01:02:03')`, `2003-12-31`}, {`DATEDIFF('2007-12-31 23:59:59','2007-12-30')`, `1`}, {`DATEDIFF('2010-11-30 23:59:59','2010-12-31')`, `-31`},
		{`DATE_ADD('2018-05-01',INTERVAL 1 DAY)`, `2018-05-02`}, {`DATE_SUB('2018-05-01',INTERVAL 1 YEAR)`, `2017-05-01`},
		{`DATE_ADD('2020-12-31 23:59:59', INTERVAL 1 SECOND)`, `2021-01-01 00:00:00`}, {`DATE_ADD('2018-12-31 23:59:59', INTERVAL 1 DAY)`, `2019-01-01 23:59:59`},
		{`DATE_ADD('2100-12-31 23:59:59', INTERVAL '1:1' MINUTE_SECOND)`, `2101-01-01 00:01:00`}, {`DATE_SUB('2025-01-01 00:00:00', INTERVAL '1 1:1:1' DAY_SECOND)`, `2024-12-30 22:58:59`},
		{`DATE_ADD('1900-01-01 00:00:00', INTERVAL '-1 10' DAY_HOUR)`, `1899-12-30 14:00:00`}, {`DATE_SUB('1998-01-02', INTERVAL 31 DAY)`, `1997-12-02`},
		{`DATE_ADD('1992-12-31 23:59:59.000002', INTERVAL '1.999999' SECOND_MICROSECOND)`, `1993-01-01 00:00:01.000001`},
		{`DATE_FORMAT('2009-10-04 22:23:00', '%W %M %Y')`, `Sunday October 2009`}, {`DATE_FORMAT('2007-10-04 22:23:00', '%H:%i:%s')`, `22:23:00`},
		{`DATE_FORMAT('1900-10-04 22:23:00', '%D %y %a %d %m %b %j')`, `4th 00 Thu 04 10 Oct 277`}, {`DATE_FORMAT('1997-10-04 22:23:00', '%H %k %I %r %T %S %w')`, `22 22 10 10:23:00 PM 22:23:00 00 6`},
		{`DATE_FORMAT('1999-01-01', '%X %V')`, `1998 52`},
		{`DAYNAME('2007-02-03')`, `Saturday`}, {`DAYOFMONTH('2007-02-03')`, `3`}, {`DAYOFWEEK('2007-02-03')`, `7`}, {`DAYOFYEAR('2007-02-03')`, `34`},
		{`EXTRACT(YEAR FROM '2019-07-02')`, `2019`}, {`EXTRACT(YEAR_MONTH FROM '2019-07-02 01:02:03')`, `201907`}, {`EXTRACT(DAY_MINUTE FROM '2019-07-02 01:02:03')`, `20102`},
		{`EXTRACT(MICROSECOND FROM '2003-01-02 10:30:00.000123')`, `123`}, {`FROM_DAYS(730669)`, `2000-07-03`},
		{`FROM_UNIXTIME(1447430881)`, `2015-11-13 16:08:01`}, {`FROM_UNIXTIME(1447430881) + 0`, `20151113160801`},
		{`DATE_FORMAT('2003-10-03',GET_FORMAT(DATE,'EUR'))`, `03.10.2003`}, {`STR_TO_DATE('10.31.2003',GET_FORMAT(DATE,'USA'))`, `2003-10-31`},
		{`HOUR('10:05:03')`, `10`}, {`HOUR('272:59:59')`, `272`}, {`LAST_DAY('2003-02-05')`, `2003-02-28`}, {`LAST_DAY('2004-02-05')`, `2004-02-29`},
		{`LAST_DAY('2004-01-01 01:01:01')`, `2004-01-31`}, {`LAST_DAY('2003-03-32')`, `NULL`}, {`MAKEDATE(2011,31)`, `2011-01-31`}, {`MAKEDATE(2011,32)`, `2011-02-01`},
		{`MAKEDATE(2011,365)`, `2011-12-31`}, {`MAKEDATE(2014,365)`, `2014-12-31`}, {`MAKEDATE(2011,0)`, `NULL`}, {`MAKETIME(12,15,30)`, `12:15:30`},
		{`MICROSECOND('12:00:00.123456')`, `123456`}, {`MICROSECOND('2019-12-31 23:59:59.000010')`, `10`}, {`MINUTE('2008-02-03 10:05:03')`, `5`}, {`MONTH('2008-02-03')`, `2`},
		{`MONTHNAME('2008-02-03')`, `February`}, {`PERIOD_ADD(200801,2)`, `200803`}, {`PERIOD_DIFF(200802,200703)`, `11`}, {`QUARTER('2008-04-01')`, `2`},
		{`SECOND('10:05:03')`, `3`}, {`SEC_TO_TIME(2378)`, `00:39:38`}, {`SEC_TO_TIME(2378) + 0`, `3938`},
		{`STR_TO_DATE('01,5,2013','%d,%m,%Y')`, `2013-05-01`}, {`STR_TO_DATE('May 1, 2013','%M %d,%Y')`, `2013-05-01`}, {`STR_TO_DATE('a09:30:17','a%h:%i:%s')`, `09:30:17`},
		{`STR_TO_DATE('a09:30:17','%h:%i:%s')`, `NULL`}, {`STR_TO_DATE('09:30:17a','%h:%i:%s')`, `09:30:17`},
		{`DATE_SUB('2008-01-02', INTERVAL 31 DAY)`, `2007-12-02`}, {`SUBDATE('2008-01-02', INTERVAL 31 DAY)`, `2007-12-02`}, {`SUBDATE('2008-01-02 12:00:00', 31)`, `2007-12-02 12:00:00`},
		{`SUBTIME('2007-12-31 23:59:59.999999','1 1:1:1.000002')`, `2007-12-30 22:58:58.999997`},
		{`SUBTIME('01:00:00.999999', '02:00:00.999998')`, `-00:59:59.999999`},
		{`TIME('2003-12-31 01:02:03')`, `01:02:03`}, {`TIME('2003-12-31 01:02:03.000123')`, `01:02:03.000123`},
		{`TIMEDIFF('2000-01-01 00:00:00', '2000-01-01 00:00:00.000001')`, `-00:00:00.000001`}, {`TIMEDIFF('2008-12-31 23:59:59.000001', '2008-12-30 01:01:01.000002')`, `46:58:57.999999`},
		{`TIMESTAMP('2003-12-31')`, `2003-12-31 00:00:00`}, {`TIMESTAMP('2003-12-31 12:00:00','12:00:00')`, `2004-01-01 00:00:00`},
		{`TIMESTAMPADD(MINUTE, 1, '2003-01-02')`, `2003-01-02 00:01:00`}, {`TIMESTAMPADD(WEEK,1,'2003-01-02')`, `2003-01-09`},
		{`TIMESTAMPDIFF(MONTH,'2003-02-01','2003-05-01')`, `3`}, {`TIMESTAMPDIFF(YEAR,'2002-05-01','2001-01-01')`, `-1`}, {`TIMESTAMPDIFF(MINUTE,'2003-02-01','2003-05-01 12:05:55')`, `128885`},
		{`TIME_FORMAT('100:00:00', '%H %k %h %I %l')`, `100 100 04 04 4`}, {`TIME_TO_SEC('22:23:00')`, `80580`}, {`TIME_TO_SEC('00:39:38')`, `2378`},
		{`TO_DAYS('2007-10-07')`, `733321`}, {`TO_DAYS('2008-10-07')`, `733687`}, {`TO_DAYS(950501)`, `728779`}, {`TO_DAYS('08-10-07')`, `733687`}, {`TO_SECONDS(950501)`, `62966505600`},
		{`TO_SECONDS('2009-11-29')`, `63426672000`}, {`TO_SECONDS('2009-11-29 13:43:32')`, `63426721412`},
		{`UNIX_TIMESTAMP('2015-11-13 10:20:19')`, `1447410019`}, {`UNIX_TIMESTAMP('2015-11-13 10:20:19.012')`, `1447410019.012`},
		{`WEEK('2008-02-20')`, `7`}, {`WEEK('2008-02-20',0)`, `7`}, {`WEEK('2008-02-20',1)`, `8`}, {`WEEK('2008-12-31',1)`, `53`}, {`WEEK('2000-01-01',0)`, `0`},
		{`WEEK('2000-01-01',2)`, `52`}, {`YEARWEEK('2000-01-01')`, `199952`}, {`MID(YEARWEEK('2000-01-01'),5,2)`, `52`},
		{`WEEKDAY('2008-02-03 22:23:00')`, `6`}, {`WEEKDAY('2007-11-06')`, `1`}, {`WEEKOFYEAR('2008-02-20')`, `8`}, {`YEAR('1987-01-01')`, `1987`}, {`YEARWEEK('1987-01-01')`, `198652`},
		{`DATE_ADD('2009-01-30', INTERVAL 1 MONTH)`, `2009-02-28`}, {`DATE_ADD('2013-01-01', INTERVAL 1 HOUR)`, `2013-01-01 01:00:00`}, {`DATE_ADD('2023-01-01', INTERVAL 6/4 HOUR_MINUTE)`, `2023-01-04 12:20:00`},
		{`'2018-12-31 23:59:59' + INTERVAL 1 SECOND`, `2019-01-01 00:00:00`}, {`INTERVAL 1 DAY + '2018-12-31'`, `2019-01-01`}, {`'2025-01-01' - INTERVAL 1 SECOND`, `2024-12-31 23:59:59`},
	}},
	{"Flow Control Functions", [][2]string{
		{`CASE 1 WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'more' END`, `one`}, {`CASE WHEN 1>0 THEN 'true' ELSE 'false' END`, `true`},
		{`CASE BINARY 'B' WHEN 'a' THEN 1 WHEN 'b' THEN 2 END`, `NULL`},
		{`IF(1>2,2,3)`, `3`}, {`IF(1<2,'yes','no')`, `yes`}, {`IF(STRCMP('test','test1'),'no','yes')`, `no`},
		{`IFNULL(1,0)`, `1`}, {`IFNULL(NULL,10)`, `10`}, {`IFNULL(1/0,'yes')`, `yes`}, {`NULLIF(1,1)`, `NULL`}, {`NULLIF(1,2)`, `1`},
	}},
	{"Comparison Functions and Operators", [][2]string{
		{`1 > '6x'`, `0`}, {`7 > '6x'`, `1`}, {`0 > 'x6'`, `0`}, {`0 = 'x6'`, `1`}, {`1 = 0`, `0`}, {`'0' = 0`, `1`}, {`'0.0' = 0`, `1`}, {`'0.01' = 0`, `0`}, {`'.01' = 0.01`, `1`},
		{`1 <=> 1`, `1`}, {`NULL <=> NULL`, `1`}, {`1 <=> NULL`, `0`}, {`1 = NULL`, `NULL`}, {`'.01' <> '0.01'`, `1`}, {`.01 <> '0.01'`, `0`}, {`'zapp' <> 'zappp'`, `1`},
		{`0.1 <= 2`, `1`}, {`2 < 2`, `0`}, {`2 >= 2`, `1`}, {`2 > 2`, `0`}, {`2 BETWEEN 1 AND 3`, `1`}, {`2 BETWEEN 3 and 1`, `0`}, {`1 BETWEEN 2 AND 3`, `0`}, {`'b' BETWEEN 'a' AND 'c'`, `1`},
		{`2 BETWEEN 2 AND '3'`, `1`}, {`2 BETWEEN 2 AND 'x-3'`, `0`}, {`COALESCE(NULL,1)`, `1`}, {`COALESCE(NULL,NULL,NULL)`, `NULL`}, {`GREATEST(2,0)`, `2`},
		{`GREATEST(34.0,3.0,5.0,767.0)`, `767.0`}, {`GREATEST('B','A','C')`, `C`}, {`2 IN (0,3,5,7)`, `0`}, {`'wefwf' IN ('wee','wefwf','weg')`, `1`}, {`(3,4) IN ((1,2), (3,4))`, `1`},
		{`(3,4) IN ((1,2), (3,5))`, `0`}, {`INTERVAL(23, 1, 15, 17, 30, 44, 200)`, `3`}, {`INTERVAL(10, 1, 10, 100, 1000)`, `2`}, {`INTERVAL(22, 23, 30, 44, 200)`, `0`},
		{`1 IS TRUE`, `1`}, {`0 IS FALSE`, `1`}, {`NULL IS UNKNOWN`, `1`}, {`1 IS NOT UNKNOWN`, `1`}, {`0 IS NOT UNKNOWN`, `1`}, {`NULL IS NOT UNKNOWN`, `0`}, {`1 IS NULL`, `0`}, {`NULL IS NULL`, `1`},
		{`ISNULL(1+1)`, `0`}, {`ISNULL(1/0)`, `1`}, {`LEAST(2,0)`, `0`}, {`LEAST(34.0,3.0,5.0,767.0)`, `3.0`}, {`LEAST('B','A','C')`, `A`},
		{`NOT 10`, `0`}, {`NOT 0`, `1`}, {`NOT NULL`, `NULL`}, {`! (1+1)`, `0`}, {`! 1+1`, `1`}, {`1 AND 1`, `1`}, {`1 AND NULL`, `NULL`}, {`0 AND NULL`, `0`}, {`0 OR NULL`, `NULL`}, {`1 OR NULL`, `1`},
		{`1 XOR 1`, `0`}, {`1 XOR 0`, `1`}, {`1 XOR NULL`, `NULL`}, {`1 XOR 1 XOR 1`, `1`},
	}},
	{"Cast Functions and Operators", [][2]string{
		{`CAST(1-2 AS UNSIGNED)`, `18446744073709551615`}, {`CAST(CAST(1-2 AS UNSIGNED) AS SIGNED)`, `-1`}, {`CAST(1 AS UNSIGNED) - 2.0`, `-1.0`}, {`CONCAT('hello you ',2)`, `hello you 2`},
		{`1+'1'`, `2`}, {`38.8`, `38.8`}, {`CONCAT(38.8)`, `38.8`}, {`CAST('12abc' AS SIGNED)`, `12`}, {`CAST(CONV('0x', 16, 10) AS UNSIGNED)`, `0`}, {`CAST('2000-01-01' AS DATE)`, `2000-01-01`},
		{`CAST(0x41 AS UNSIGNED)`, `65`},
		{`CAST(4294967296.5 AS SIGNED)`, `4294967297`}, {`CAST('9.5' AS DECIMAL(3,1))`, `9.5`}, {`CONVERT('abc' USING utf8mb4)`, `abc`}, {`CAST('a' AS CHAR(3))`, `a`},
	}},
	{"Bit Functions and Operators", [][2]string{
		{`29 | 15`, `31`}, {`29 & 15`, `13`}, {`1 ^ 1`, `0`}, {`1 ^ 0`, `1`}, {`11 ^ 3`, `8`}, {`1 << 2`, `4`}, {`4 >> 2`, `1`}, {`5 & ~1`, `4`}, {`BIT_COUNT(64)`, `1`}, {`BIT_COUNT(29)`, `4`},
		{`BIT_COUNT(b'101010')`, `3`}, {`HEX(0xF0 | 0x0F)`, `FF`},
	}},
	{"Encryption and Compression Functions", [][2]string{
		{`HEX(AES_ENCRYPT('text', 'mykey'))`, `A4B92B8A4A733C6E8A815FA01465DAD2`}, {`AES_DECRYPT(AES_ENCRYPT('text', UNHEX(SHA2('My secret passphrase',512))), UNHEX(SHA2('My secret passphrase',512)))`, `text`},
		{`LENGTH(COMPRESS(''))`, `0`},
		{`UNCOMPRESS(COMPRESS('any string'))`, `any string`}, {`UNCOMPRESS('any string')`, `NULL`}, {`UNCOMPRESSED_LENGTH(COMPRESS(REPEAT('a',30)))`, `30`},
		{`MD5('testing')`, `ae2b1fca515949e5d54fb22b8ed95575`}, {`SHA1('abc')`, `a9993e364706816aba3e25717850c26c9cd0d89d`},
		{`SHA2('abc', 224)`, `23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7`}, {`LENGTH(RANDOM_BYTES(16))`, `16`},
	}},
	{"Information and Miscellaneous Functions", [][2]string{
		{`BENCHMARK(10, AES_ENCRYPT('hello','goodbye'))`, `0`}, {`CHARSET('abc')`, `utf8mb4`}, {`CURRENT_ROLE()`, `NONE`},
		{`BIN_TO_UUID(UUID_TO_BIN('6ccd780c-baba-1026-9564-5b8c656024db'))`, `6ccd780c-baba-1026-9564-5b8c656024db`},
		{`HEX(UUID_TO_BIN('6ccd780c-baba-1026-9564-5b8c656024db', 0))`, `6CCD780CBABA102695645B8C656024DB`},
		{`HEX(UUID_TO_BIN('6ccd780c-baba-1026-9564-5b8c656024db', 1))`, `1026BABA6CCD780C95645B8C656024DB`},
		{`BIN_TO_UUID(UUID_TO_BIN('6ccd780c-baba-1026-9564-5b8c656024db', 1), 1)`, `6ccd780c-baba-1026-9564-5b8c656024db`},
		{`INET_ATON('10.0.5.9')`, `167773449`}, {`INET_ATON('127.0.0.1')`, `2130706433`}, {`INET_ATON('127.1')`, `2130706433`}, {`INET_NTOA(167773449)`, `10.0.5.9`},
		{`HEX(INET6_ATON('fdfe::5a55:caff:fefa:9089'))`, `FDFE0000000000005A55CAFFFEFA9089`}, {`HEX(INET6_ATON('10.0.5.9'))`, `0A000509`},
		{`INET6_NTOA(INET6_ATON('fdfe::5a55:caff:fefa:9089'))`, `fdfe::5a55:caff:fefa:9089`}, {`INET6_NTOA(INET6_ATON('10.0.5.9'))`, `10.0.5.9`},
		{`INET6_NTOA(UNHEX('FDFE0000000000005A55CAFFFEFA9089'))`, `fdfe::5a55:caff:fefa:9089`}, {`INET6_NTOA(UNHEX('0A000509'))`, `10.0.5.9`},
		{`IS_IPV4('10.0.5.9')`, `1`}, {`IS_IPV4('10.0.5.256')`, `0`}, {`IS_IPV4_COMPAT(INET6_ATON('::10.0.5.9'))`, `1`}, {`IS_IPV4_COMPAT(INET6_ATON('::ffff:10.0.5.9'))`, `0`},
		{`IS_IPV4_COMPAT(INET6_ATON('::192.168.0.1'))`, `1`}, {`IS_IPV4_COMPAT(INET6_ATON('::c0a8:0001'))`, `1`}, {`IS_IPV4_MAPPED(INET6_ATON('::10.0.5.9'))`, `0`},
		{`IS_IPV4_MAPPED(INET6_ATON('::ffff:10.0.5.9'))`, `1`}, {`IS_IPV4_MAPPED(INET6_ATON('::ffff:c0a8:1'))`, `1`}, {`IS_IPV6('10.0.5.9')`, `0`}, {`IS_IPV6('::1')`, `1`},
		{`IS_UUID('6ccd780c-baba-1026-9564-5b8c656024db')`, `1`}, {`IS_UUID('6CCD780CBABA102695645B8C656024DB')`, `1`}, {`IS_UUID('{6ccd780c-baba-1026-9564-5b8c656024db}')`, `1`},
		{`IS_UUID('6ccd780c-baba-1026-9564-5b8c6560')`, `0`}, {`IS_UUID(RAND())`, `0`}, {`NAME_CONST('myname', 14)`, `14`}, {`SLEEP(0)`, `0`},
		{`FORMAT_BYTES(512)`, ` 512 bytes`}, {`FORMAT_BYTES(18446644073709551615)`, `16.00 EiB`}, {`FORMAT_PICO_TIME(3501)`, `3.50 ns`}, {`FORMAT_PICO_TIME(188732396662000)`, `3.15 min`},
	}},
}

// TestManual runs the examples of MySQL's manual.
func TestManual(t *testing.T) {
	t.Parallel()
	db := nearlyfreetest.Open(t)
	for _, p := range manual {
		t.Run(p.page, func(t *testing.T) {
			for _, example := range p.examples {
				var got sql.NullString
				err := db.QueryRow("SELECT CAST(" + example[0] + " AS CHAR)").Scan(&got)
				answer := got.String
				switch {
				case err != nil:
					answer = "error"
					var e *nearlyfree.Error
					if errors.As(err, &e) {
						answer = fmt.Sprint("error ", e.Number)
					}
				case !got.Valid:
					answer = "NULL"
				}
				if answer != example[1] {
					t.Errorf("SELECT %s\ngives %s %v, the manual says %s", example[0], answer, err, example[1])
				}
			}
		})
	}
}

import { describe, expect, it } from 'vitest';
import { grantsOf, mayDelete } from '#runtime/data-sources/mariadb/mariadb-rights';

const to = 'TO `app`@`%`';

describe('mayDelete', () => {
  it.each<[string, readonly string[], boolean]>([
    ['nothing', [`GRANT USAGE ON *.* ${to}`], false],
    ['the server', [`GRANT ALL PRIVILEGES ON *.* ${to} WITH GRANT OPTION`], true],
    ['the server of MySQL', [`GRANT SELECT, INSERT, DELETE, CREATE ROLE ON *.* ${to}`], true],
    [
      'the server without this database',
      [`GRANT DELETE ON *.* ${to}`, 'REVOKE DELETE ON `shop_1`.* FROM `app`@`%`'],
      false,
    ],
    [
      'the server without another database',
      [`GRANT DELETE ON *.* ${to}`, 'REVOKE DELETE ON `shop`.* FROM `app`@`%`'],
      true,
    ],
    ['the database', [`GRANT SELECT, DELETE ON \`shop_1\`.* ${to} IDENTIFIED BY PASSWORD '*1'`], true],
    ['the database in capitals', [`GRANT DELETE ON \`SHOP\\_1\`.* ${to}`], true],
    ['a pattern', [`GRANT DELETE ON \`shop%\`.* ${to}`], true],
    ['a pattern that matches another one only', [`GRANT DELETE ON \`shop\\_2\`.* ${to}`], false],
    ['a sign that a backslash makes plain', [`GRANT DELETE ON \`sho\\_\\_1\`.* ${to}`], false],
    [
      'a wider pattern beside a closer one',
      [`GRANT DELETE ON \`%\`.* ${to}`, `GRANT SELECT ON \`shop_1\`.* ${to}`],
      false,
    ],
    ['a closer pattern', [`GRANT SELECT ON \`%\`.* ${to}`, `GRANT ALL PRIVILEGES ON \`shop\\_1\`.* ${to}`], true],
    ['the table', [`GRANT DELETE ON \`shop_1\`.\`order lines\` ${to}`], true],
    ['another table', [`GRANT DELETE ON \`shop_1\`.\`orders\` ${to}`], false],
    [
      'a column that is called so',
      [`GRANT SELECT (\`a, DELETE\`, \`b) ON\`), UPDATE (v) ON \`shop_1\`.\`order lines\` ${to}`],
      false,
    ],
    ['a role', [`GRANT USAGE ON *.* ${to}`, `GRANT \`clerk\` ${to}`, 'GRANT DELETE ON `shop_1`.* TO `clerk`'], true],
    ['a role beside a closer grant', [`GRANT SELECT ON \`shop_1\`.* ${to}`, 'GRANT DELETE ON `%`.* TO `clerk`'], true],
    [
      'a routine',
      [`GRANT EXECUTE ON PROCEDURE \`shop_1\`.\`order lines\` ${to}`, `GRANT PROXY ON ''@'%' ${to}`],
      false,
    ],
    ['names without quotes', [`GRANT DELETE ON shop_1.* TO app@%`], true],
  ])('reads rights on %s', (_what, lines, expected) => {
    expect(mayDelete(grantsOf(lines), 'shop_1', 'order lines')).toBe(expected);
  });
});

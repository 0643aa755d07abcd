import { describe, expect, it } from 'vitest';
import { literalDefault } from '#runtime/data-sources/mariadb/default-value';
import { parseNativeType } from '#runtime/data-sources/mariadb/native-type';
import { quotedNames } from '#runtime/data-sources/mariadb/quoted-names';

describe('a declared type', () => {
  it.each([
    ['decimal(12,2) unsigned', { name: 'decimal', numbers: [12, 2], isUnsigned: true, collation: undefined }],
    ['varchar(40) collate utf8mb4_general_ci', { name: 'varchar', numbers: [40], collation: 'utf8mb4_general_ci' }],
    [
      "enum('a)','unsigned') collate utf8mb4_bin",
      { name: 'enum', numbers: [], isUnsigned: false, collation: 'utf8mb4_bin' },
    ],
    ['DATETIME', { name: 'datetime', numbers: [] }],
  ])('is read: %s', (declared, expected) => {
    expect(parseNativeType(declared)).toMatchObject(expected);
  });
});

describe('a default', () => {
  it.each([
    ["'it''s'", 'String', false, true, "it's"],
    ["it's", 'String', false, false, "it's"],
    ["'NULL'", 'String', false, true, 'NULL'],
    ['NULL', 'String', false, true, undefined],
    ['uuid()', 'String', false, true, undefined],
    ['current_timestamp()', 'Date', false, true, undefined],
    ["'2024-01-02 03:04:05'", 'Date', false, true, '2024-01-02T03:04:05.000Z'],
    ["'0000-00-00 00:00:00'", 'Date', false, true, undefined],
    ['1.50', 'Number', true, true, '1.50'],
    ['-7', 'Number', false, true, -7],
    ['1', 'Boolean', false, true, true],
    ["b'0'", 'Boolean', false, true, false],
    ["b'101'", 'Number', false, true, 5],
    ["'[1]'", 'Json', false, true, [1]],
  ] as const)('%s of type %s (exact: %s, MariaDB: %s) is %s', (stored, type, isExact, isMariadb, expected) => {
    expect(literalDefault(stored, type, isExact, isMariadb)).toEqual(expected);
  });
});

describe('names in backticks', () => {
  it('are found outside of texts', () => {
    expect(quotedNames("`a` < `b``c` and '`no`' <> `d`")).toEqual(['a', 'b`c', 'd']);
  });
});

import { describe, expect, it } from 'vitest';
import { literalDefault } from '#runtime/data-sources/mariadb/mariadb-columns';
import { parseNativeType } from '#runtime/data-sources/mariadb/mariadb-native-type';
import { quotedNames } from '#runtime/data-sources/mariadb/mariadb-violated-fields';

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
    ["'it''s'", 'String', false, 'mariadb', "it's"],
    ["it's", 'String', false, 'mysql', "it's"],
    ["'quoted'", 'String', false, 'mysql', "'quoted'"],
    ['NULL', 'String', false, 'mysql', 'NULL'],
    ["b'1'", 'Boolean', false, 'mysql', true],
    ["'NULL'", 'String', false, 'mariadb', 'NULL'],
    ['NULL', 'String', false, 'mariadb', undefined],
    ['uuid()', 'String', false, 'mariadb', undefined],
    ['current_timestamp()', 'Date', false, 'mariadb', undefined],
    ["'2024-01-02 03:04:05'", 'Date', false, 'mariadb', '2024-01-02T03:04:05.000Z'],
    ["'0000-00-00 00:00:00'", 'Date', false, 'mariadb', undefined],
    ['1.50', 'Number', true, 'mariadb', '1.50'],
    ['-7', 'Number', false, 'mariadb', -7],
    ['1', 'Boolean', false, 'mariadb', true],
    ["b'0'", 'Boolean', false, 'mariadb', false],
    ["b'101'", 'Number', false, 'mariadb', 5],
    ["'[1]'", 'Json', false, 'mariadb', [1]],
  ] as const)('%s of type %s (exact: %s) of %s is %s', (stored, type, isExact, flavour, expected) => {
    expect(literalDefault(stored, type, isExact, flavour)).toEqual(expected);
  });
});

describe('names in backticks', () => {
  it('are found outside of texts', () => {
    expect(quotedNames("`a` < `b``c` and '`no`' <> `d`")).toEqual(['a', 'b`c', 'd']);
  });
});

import { expect, it } from 'vitest';
import { hasPassword, warnOfTypedSecret, withoutPassword } from '#cli/asking/ask-for-database';
import { silentReporter } from '#kernel/ports/reporter';

it.each([
  [['--uri', 'x'], true],
  [['--uri=x'], true],
  [['--uri-of-another'], false],
  [[], false],
])('a secret among the words %j is warned of: %s', (words, isWarned) => {
  const warnings: string[] = [];
  const reporter = {
    ...silentReporter,
    warn: (message: string, step?: string) => void warnings.push(`${message} ${step}`),
  };
  warnOfTypedSecret(reporter, words, '--uri', 'SERVICE_URI');
  expect(warnings).toEqual(isWarned ? [expect.stringMatching(/--uri .*Set SERVICE_URI/)] : []);
});

it.each([
  ['postgres://app:hunter2@db.internal/shop', true],
  ['postgres://app:p%40ss@db/shop?sslmode=require', true],
  ['postgres://app@db.internal:5432/shop', false],
  ['sqlite:./app.sqlite', false],
  ['mariadb://db/shop?note=a:b@c', false],
])('%s holds a password: %s', (uri, expected) => {
  expect(hasPassword(uri)).toBe(expected);
});

it.each([
  ['postgres://app:hunter2@db.internal/shop', 'postgres://app:•••••••@db.internal/shop'],
  ['postgres://app:p@ss/1@db/shop', 'postgres://app:••••••@db/shop'],
  ['postgres://app:hun', 'postgres://app:•••'],
  ['postgres://app@db.internal:5432/shop', 'postgres://app@db.internal:5432/shop'],
  ['sqlite:./app.sqlite', 'sqlite:./app.sqlite'],
  ['', ''],
])('the password of %j is shown as dots', (uri, shown) => {
  expect(withoutPassword(uri)).toBe(shown);
});

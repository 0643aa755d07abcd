import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { absoluteSqliteUri, sqliteUriInProject } from '#project/index';

const root = 'C:\\Work of Ada\\shop';

describe('the URI of a SQLite file on Windows', () => {
  it.each([
    ['sqlite:./app.sqlite', 'sqlite:C:\\Work of Ada\\shop\\app.sqlite'],
    ['sqlite:data\\app.sqlite', 'sqlite:C:\\Work of Ada\\shop\\data\\app.sqlite'],
    ['sqlite:D:\\data\\app.sqlite', 'sqlite:D:\\data\\app.sqlite'],
    ['postgres://localhost/app', 'postgres://localhost/app'],
  ])('becomes whole: %s', (uri, expected) => {
    expect(absoluteSqliteUri(uri, root, path.win32)).toBe(expected);
  });

  it.each([
    ['sqlite:app.sqlite', 'sqlite:./data/app.sqlite'],
    ['sqlite:..\\app.sqlite', 'sqlite:./app.sqlite'],
    ['sqlite:C:\\Work of Ada\\app.sqlite', 'sqlite:../app.sqlite'],
    ['sqlite:D:\\other drive\\app.sqlite', 'sqlite:D:/other drive/app.sqlite'],
    ['postgres://localhost/app', undefined],
  ])('is in the configuration with forward slashes: %s', (uri, expected) => {
    expect(sqliteUriInProject(uri, root, `${root}\\data`, path.win32)).toBe(expected);
  });
});

it('the URI of a SQLite file on Unix counts from the folder of the command', () => {
  expect(absoluteSqliteUri('sqlite:./app.sqlite', '/projects', path.posix)).toBe('sqlite:/projects/app.sqlite');
  expect(sqliteUriInProject('sqlite:../app.sqlite', '/projects', '/projects/data', path.posix)).toBe(
    'sqlite:./app.sqlite',
  );
});

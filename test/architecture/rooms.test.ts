import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { internalImports, readSources, repository } from './source-tree.ts';

/** The rooms of a layer from the ground up, each with the rooms that it imports. `index` is the face of the layer. */
type Rooms = Readonly<Record<string, readonly string[]>>;

const folder = path.join(import.meta.dirname, 'rooms');
const tables = readdirSync(folder).map((file) => {
  const rooms = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Rooms;
  return { layer: path.basename(file, '.json'), rooms };
});
const sources = readSources();

describe.each(tables)('the rooms of src/$layer', ({ layer, rooms }) => {
  const files = sources.filter((file) => file.path.startsWith(`${layer}/`));
  const roomOf = (file: string) => path.posix.dirname(file).slice(layer.length + 1) || 'index';
  const imports = files.flatMap((file) =>
    internalImports(file)
      .filter((target) => target.startsWith(`${layer}/`) && roomOf(target) !== roomOf(file.path))
      .map((target) => ({ from: file.path, room: roomOf(file.path), target, targetRoom: roomOf(target) })),
  );

  it('are every folder of the layer', () => {
    expect(Object.keys(rooms).sort()).toEqual([...new Set(files.map((file) => roomOf(file.path)))].sort());
  });

  it('stand on rooms above them in the table only, so that there is no cycle', () => {
    const names = Object.keys(rooms);
    const upward = Object.entries(rooms).flatMap(([room, allowed]) =>
      allowed.filter((target) => names.indexOf(target) >= names.indexOf(room)).map((target) => `${room} -> ${target}`),
    );
    expect(upward).toEqual([]);
  });

  it('import what their rows allow, types included', () => {
    const violations = imports
      .filter(({ room, targetRoom }) => !rooms[room]?.includes(targetRoom))
      .map(({ from, target }) => `${from} -> ${target}`);
    expect(violations).toEqual([]);
  });

  it('need everything that their rows allow', () => {
    const used = new Set(imports.map(({ room, targetRoom }) => `${room} -> ${targetRoom}`));
    const allowed = Object.entries(rooms).flatMap(([room, targets]) => targets.map((target) => `${room} -> ${target}`));
    expect(allowed.filter((row) => !used.has(row))).toEqual([]);
  });

  it('are in ARCHITECTURE.md in the same order', () => {
    const text = readFileSync(path.join(repository, 'ARCHITECTURE.md'), 'utf8');
    const [, section = ''] = text.split(`### Inside \`${layer}\``);
    const [table = ''] = section.split(/^#/m);
    const documented = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`([\w/-]+)`/g)].map(([, name]) => name),
    );
    expect(documented).toEqual(Object.keys(rooms));
  });
});

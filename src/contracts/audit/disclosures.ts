import { sha256 } from '#kernel/digests/digests';
import { canonicalJson } from '#kernel/json/canonical-json';
import { BrokenLog } from './verdict.ts';

/**
 * A row of version 2 is hashed without its personal values. Its member `committed` has a commitment for each of them, by the place of the
 * value: names of members, joined by dots, such as `newValue.user`. In a list, `null` stands where the value was. The values stand beside
 * the row with a random salt each. Whoever deletes value and salt leaves a commitment that tells nothing, and the hash stays as it is.
 */

type JsonObject = Readonly<Record<string, unknown>>;

/** A value that is disclosed, with its salt of 22 characters (base64url). */
type Disclosure = readonly [salt: string, value: unknown];

/** By place. */
export type Disclosures = Readonly<Record<string, Disclosure>>;

/** The commitments of what is disclosed, by place. */
export type Commitments = Readonly<Record<string, string>>;

/** A row in two parts: what is hashed, and what stands beside it. Both are canonical JSON. */
export interface RowParts {
  readonly body: string;
  /** Disclosures; `null` where nothing is disclosed. */
  readonly disclosed: string | null;
}

/**
 * SHA-256 of 2, `audit/v2`, the place, 0, the salt, and the value as canonical JSON. No place has the character 0, and a salt has always
 * 22 characters, so that no other place, salt and value give the same text.
 *
 * @param json of the value, canonical.
 */
export function commitmentOf(place: string, salt: string, json: string): string {
  return sha256(`\u0002audit/v2${place}\0${salt}${json}`);
}

/**
 * Take personal values out of a row.
 *
 * @param places Sorted; each is there.
 * @param newSalt Makes a salt: 16 random bytes in base64url.
 */
export function withheld(row: JsonObject, places: readonly string[], newSalt: () => string): RowParts {
  if (places.length === 0) return { body: canonicalJson(row), disclosed: null };
  const committed: Record<string, string> = {};
  const disclosed: string[] = [];
  let rest = row;
  for (const place of places) {
    const [value, others] = taken(rest, place.split('.'));
    const salt = newSalt();
    const json = canonicalJson(value);
    committed[place] = commitmentOf(place, salt, json);
    disclosed.push(`${JSON.stringify(place)}:["${salt}",${json}]`);
    rest = others as JsonObject;
  }
  return { body: canonicalJson({ ...rest, committed }), disclosed: `{${disclosed.join(',')}}` };
}

/** What is left beside a row. */
export function disclosedText(values: Disclosures): string | null {
  return Object.keys(values).length === 0 ? null : canonicalJson(values);
}

/** The value at a place, and its holder without it. */
function taken(holder: unknown, [name = '', ...inner]: readonly string[]): [value: unknown, rest: unknown] {
  if (Array.isArray(holder)) {
    const [value, rest] = inner.length === 0 ? [holder[Number(name)], null] : taken(holder[Number(name)], inner);
    return [value, holder.with(Number(name), rest)];
  }
  if (!isObject(holder) || !(name in holder)) throw new RangeError(`There is no ${name}.`);
  const { [name]: own, ...others } = holder;
  if (inner.length === 0) return [own, others];
  const [value, rest] = taken(own, inner);
  return [value, { ...others, [name]: rest }];
}

/** A row with the values that are disclosed, and without what proves them. Erased values are missing, or `null` in a list. */
export function disclosedRow<Row>({ body, disclosed }: RowParts): {
  readonly row: Row;
  readonly erased: readonly string[];
} {
  const { committed, ...row } = JSON.parse(body) as Record<string, unknown>;
  const values = disclosed === null ? {} : (JSON.parse(disclosed) as Disclosures);
  for (const [place, [, value]] of Object.entries(values)) putBack(row, place, value);
  const erased = isObject(committed) ? Object.keys(committed).filter((place) => !(place in values)) : [];
  return { row: row as Row, erased };
}

/** Put a value at a place of a row that was just parsed. A place whose holder is missing stays as it is. */
export function putBack(row: object, place: string, value: unknown): void {
  const names = place.split('.');
  const last = names.pop() ?? '';
  let holder: unknown = row;
  for (const name of names) holder = isHolder(holder) ? holder[name] : undefined;
  if (isHolder(holder))
    Object.defineProperty(holder, last, { value, enumerable: true, writable: true, configurable: true });
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return isHolder(value) && !Array.isArray(value);
}

/** Nearly all rows disclose only who did it, and are not parsed for that. */
const userAlone = /^\{"user":\["([\w-]{22})",(\{[^[\]]*\})\]\}$/;

/** The commitments of what stands beside a row. Throws a `BrokenLog` for a text that the platform did not write. */
export function commitmentsOf(disclosed: string | null, sequence: number): Commitments {
  if (disclosed === null) return {};
  const [, salt, json] = userAlone.exec(disclosed) ?? [];
  if (salt !== undefined && json !== undefined) return { user: commitmentOf('user', salt, json) };
  const read = parsed(disclosed);
  if (!isObject(read) || canonicalJson(read) !== disclosed) throw unreadable(sequence);
  return Object.fromEntries(
    Object.entries(read).map(([place, each]) => {
      if (!Array.isArray(each) || each.length !== 2 || !isSalt(each[0])) throw unreadable(sequence);
      return [place, commitmentOf(place, each[0], canonicalJson(each[1]))];
    }),
  );
}

function isSalt(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{22}$/.test(value);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Told by who asks.
    return undefined;
  }
}

function unreadable(sequence: number): BrokenLog {
  return new BrokenLog('disclosure', sequence, `What stands beside row ${sequence} cannot be read.`);
}

const version = ',"version":2';

/** A row as an export has it, without its hashes and its last brace: the values at their places, and the salts behind them. */
export function exportedValues({ body, disclosed }: RowParts): string {
  if (disclosed === null) return body.slice(0, -1);
  const [, salt, json] = userAlone.exec(disclosed) ?? [];
  // In canonical JSON, `version` follows `user`.
  if (salt !== undefined && body.endsWith(`${version}}`)) {
    return `${body.slice(0, -version.length - 1)},"user":${json}${version},"salts":{"user":"${salt}"}`;
  }
  const row = JSON.parse(body) as object;
  const values = Object.entries(JSON.parse(disclosed) as Disclosures);
  for (const [place, [, value]] of values) putBack(row, place, value);
  const salts = Object.fromEntries(values.map(([place, [own]]) => [place, own]));
  return `${canonicalJson(row).slice(0, -1)},"salts":${JSON.stringify(salts)}`;
}

/** A row of an export in two parts: what was hashed, and the commitments of the values that it shows. */
export interface HashedParts {
  readonly body: string;
  readonly disclosed: Commitments;
}

/** Take the values out of a row of an export that was parsed. Throws a `BrokenLog`. */
export function takeOutValues({ salts = {}, ...row }: JsonObject, sequence: number): HashedParts {
  if (!isObject(salts)) throw unreadable(sequence);
  const disclosed: Record<string, string> = {};
  let rest: JsonObject = row;
  for (const [place, salt] of Object.entries(salts)) {
    if (!isSalt(salt)) throw unreadable(sequence);
    const [value, others] = takenOrBroken(rest, place, sequence);
    disclosed[place] = commitmentOf(place, salt, canonicalJson(value));
    rest = others;
  }
  return { body: canonicalJson(rest), disclosed };
}

function takenOrBroken(row: JsonObject, place: string, sequence: number): [value: unknown, rest: JsonObject] {
  try {
    return taken(row, place.split('.')) as [unknown, JsonObject];
  } catch (error) {
    if (error instanceof RangeError) throw unreadable(sequence);
    throw error;
  }
}

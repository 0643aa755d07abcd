import type { ColumnType } from '../../query/column-type.ts';
import { encodedInstant } from './mariadb-values.ts';
import { flavourTraits, type ServerFlavour } from './server-flavour.ts';

/**
 * The value of a default that is a literal, as a record has it; `undefined` when there is none or it is an expression.
 * MariaDB writes the default as SQL, texts in quotes; MySQL writes texts bare and marks expressions elsewhere.
 */
export function literalDefault(stored: unknown, type: ColumnType, isExact: boolean, flavour: ServerFlavour): unknown {
  const { quotesDefaults } = flavourTraits[flavour];
  if (typeof stored !== 'string' || (quotesDefaults && stored === 'NULL')) return undefined;
  const bits = /^b'([01]+)'$/.exec(stored)?.[1];
  if (bits !== undefined) return bitsDefault(BigInt(`0b${bits}`), type, isExact);
  if (!quotesDefaults) return ofType(stored, type, isExact);
  const quoted = /^'(.*)'$/s.exec(stored)?.[1];
  if (quoted === undefined && !/^[+-]?[\d.]+(?:e[+-]?\d+)?$/i.test(stored)) return undefined;
  return ofType(quoted === undefined ? stored : unescaped(quoted), type, isExact);
}

function bitsDefault(value: bigint, type: ColumnType, isExact: boolean): unknown {
  if (type === 'Boolean') return value !== 0n;
  return isExact ? String(value) : Number(value);
}

function ofType(text: string, type: ColumnType, isExact: boolean): unknown {
  switch (type) {
    case 'Boolean':
      return Number(text) !== 0;
    case 'Number':
      return isExact ? text : Number(text);
    case 'Date':
      return encodedInstant(text);
    case 'Json':
      return parsedJson(text);
    case 'Binary':
      return undefined;
    default:
      return text;
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // It is no JSON, so no record could hold it. The database accepts or refuses it when it is used.
    return undefined;
  }
}

/** A text as it is between quotes, without its escapes. */
export function unescaped(quoted: string): string {
  return quoted.replaceAll(/''|\\([\s\S])/g, (sign, escaped: string | undefined) => {
    if (escaped === undefined) return sign === "''" ? "'" : sign;
    return escapes[escaped] ?? escaped;
  });
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', '0': '\0', Z: '\u001a' };

import type { PrimitiveType } from '../../query/column-type.ts';

const quoted = /^'((?:[^']|'')*)'(?:::[^']+)?$/s;
const number = /^\(?(-?(?:\d+\.?\d*|\.\d+))\)?(?:::[a-z ]+(?:\(.*\))?)?$/;

/** The value of a default's SQL text when it is a literal; `undefined` when it is an expression or `null`. */
export function literalDefault(sql: string, type: PrimitiveType, isExact: boolean): unknown {
  const text = quoted.exec(sql)?.[1]?.replaceAll("''", "'");
  switch (type) {
    case 'Boolean':
      return booleans[text ?? sql];
    case 'Number':
      return numberOf(text ?? number.exec(sql)?.[1], isExact);
    case 'Json':
      return text === undefined ? undefined : (JSON.parse(text) ?? undefined);
    case 'Enum':
    case 'String':
    case 'Uuid':
      return text;
    case 'Dateonly':
      return text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : undefined;
    case 'Time':
      return text !== undefined && /^\d{2}:\d{2}:\d{2}$/.test(text) ? text : undefined;
    default:
      return undefined;
  }
}

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false, t: true, f: false };

function numberOf(text: string | undefined, isExact: boolean): number | string | undefined {
  if (text === undefined || text.trim() === '' || !Number.isFinite(Number(text))) return undefined;
  return isExact ? text : Number(text);
}

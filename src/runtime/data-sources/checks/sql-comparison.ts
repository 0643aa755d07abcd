type Comparison = '=' | '==' | '<>' | '!=' | '<' | '<=' | '>' | '>=';

/** Compare as SQL does: null where one of them is null, or where the kinds cannot be compared. */
export function compared(sign: Comparison, a: unknown, b: unknown): boolean | null {
  const order = orderOf(a, b);
  if (order === null) return null;
  switch (sign) {
    case '=':
    case '==':
      return order === 0;
    case '<>':
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

export function isTrue(value: unknown): boolean | null {
  if (value === null || value === undefined) return null;
  return value === true || (typeof value === 'number' && value !== 0);
}

export function negated(value: boolean | null): boolean | null {
  return value === null ? null : !value;
}

const number = /^-?\d+(?:\.\d+)?$/;
const date = /^\d{4}-\d{2}-\d{2}/;

/** Exact numbers and dates are texts. */
function orderOf(a: unknown, b: unknown): number | null {
  if (a === null || b === null || a === undefined || b === undefined) return null;
  const [one, other] = [comparable(a), comparable(b)];
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [text, beside] = [String(one), String(other)];
  if (number.test(text) && number.test(beside)) return Number(text) - Number(beside);
  if (date.test(text) && date.test(beside)) return Date.parse(text) - Date.parse(beside);
  if (typeof one === 'number' || typeof other === 'number') return null;
  return text === beside ? 0 : text < beside ? -1 : 1;
}

function comparable(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value;
}

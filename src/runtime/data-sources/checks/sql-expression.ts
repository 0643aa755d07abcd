import { compared, functionNamed, isMatching, isTrue, negated, type PatternKind, patternOf } from './sql-operators.ts';
import { type SqlToken, sqlTokens } from './sql-tokens.ts';
import type { CheckText } from './table-check.ts';

type Row = Readonly<Record<string, unknown>>;

/** Works out a value for a row; null where SQL has null. */
export type SqlExpression = (row: Row) => unknown;

/** Something in the text that is not understood. */
class Unreadable extends Error {}

const comparisons = ['<>', '!=', '<=', '>=', '==', '=', '<', '>'] as const;
const patterns: Readonly<Record<string, readonly [PatternKind, boolean]>> = {
  '!~~*': ['ilike', true],
  '~~*': ['ilike', false],
  '!~~': ['like', true],
  '~~': ['like', false],
  '!~*': ['iregex', true],
  '~*': ['iregex', false],
  '!~': ['regex', true],
  '~': ['regex', false],
};
const patternWords: Readonly<Record<string, PatternKind>> = {
  LIKE: 'like',
  ILIKE: 'ilike',
  GLOB: 'glob',
  REGEXP: 'iregex',
  RLIKE: 'iregex',
};

/** What is found in an expression while it is read. */
export interface FoundInExpression {
  /** Names. */
  readonly columns: Set<string>;
  /** Numbers and texts. */
  readonly constants: (number | string)[];
  /** Those that are written in it, and not made from a row. */
  readonly patterns: RegExp[];
}

/** Read an expression. `undefined` where a part of it is not understood. */
export function readExpression(check: CheckText, found: FoundInExpression): SqlExpression | undefined {
  const parser = new Parser(check, found);
  try {
    return parser.whole();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** One method for each level of precedence, the loosest first. */
class Parser {
  readonly #tokens: readonly SqlToken[];
  readonly #valueColumn: string | undefined;
  readonly #columns: Set<string>;
  readonly #constants: (number | string)[];
  readonly #patterns: RegExp[];
  #next = 0;

  constructor({ text, valueColumn, hasBracketNames }: CheckText, { columns, constants, patterns }: FoundInExpression) {
    this.#tokens = sqlTokens(text, { hasBracketNames: hasBracketNames === true });
    this.#valueColumn = valueColumn;
    this.#columns = columns;
    this.#constants = constants;
    this.#patterns = patterns;
  }

  whole(): SqlExpression {
    const expression = this.#or();
    if (this.#next < this.#tokens.length) throw new Unreadable();
    return expression;
  }

  #or(): SqlExpression {
    let left = this.#and();
    while (this.#takeWord('OR')) {
      const [one, other] = [left, this.#and()];
      left = (row) => {
        const values = [isTrue(one(row)), isTrue(other(row))];
        return values.includes(true) ? true : values.includes(null) ? null : false;
      };
    }
    return left;
  }

  #and(): SqlExpression {
    let left = this.#not();
    while (this.#takeWord('AND')) {
      const [one, other] = [left, this.#not()];
      left = (row) => {
        const values = [isTrue(one(row)), isTrue(other(row))];
        return values.includes(false) ? false : values.includes(null) ? null : true;
      };
    }
    return left;
  }

  #not(): SqlExpression {
    if (!this.#takeWord('NOT')) return this.#predicate();
    const inner = this.#not();
    return (row) => negated(isTrue(inner(row)));
  }

  #predicate(): SqlExpression {
    let left = this.#sum();
    for (;;) {
      const read = this.#predicateOf(left);
      if (!read) return left;
      left = read;
    }
  }

  #predicateOf(left: SqlExpression): SqlExpression | undefined {
    if (this.#takeWord('IS')) return this.#isTest(left);
    const isNegated = this.#takeWord('NOT');
    const test = this.#wordTest(left) ?? (isNegated ? undefined : this.#signTest(left));
    if (!test && isNegated) throw new Unreadable();
    return test && isNegated ? (row) => negated(isTrue(test(row))) : test;
  }

  #isTest(left: SqlExpression): SqlExpression {
    const isNegated = this.#takeWord('NOT');
    const word = this.#takeName()?.toUpperCase();
    const wanted = word === 'TRUE' ? true : word === 'FALSE' ? false : null;
    if (word !== 'NULL' && word !== 'TRUE' && word !== 'FALSE') throw new Unreadable();
    return (row) => {
      const value = left(row) ?? null;
      return (wanted === null ? value === null : isTrue(value) === wanted) !== isNegated;
    };
  }

  #wordTest(left: SqlExpression): SqlExpression | undefined {
    if (this.#takeWord('BETWEEN')) {
      const from = this.#sum();
      if (!this.#takeWord('AND')) throw new Unreadable();
      const to = this.#sum();
      return (row) => {
        const [low, high] = [compared('>=', left(row), from(row)), compared('<=', left(row), to(row))];
        return low === false || high === false ? false : low === null || high === null ? null : true;
      };
    }
    if (this.#takeWord('IN')) return this.#among(left, this.#list('(', ')'));
    for (const [word, kind] of Object.entries(patternWords)) {
      if (this.#takeWord(word)) return this.#matching(left, kind);
    }
    return undefined;
  }

  #signTest(left: SqlExpression): SqlExpression | undefined {
    for (const [sign, [kind, isNegated]] of Object.entries(patterns)) {
      if (!this.#takeSigns(sign)) continue;
      const test = this.#matching(left, kind);
      return isNegated ? (row) => negated(isTrue(test(row))) : test;
    }
    const sign = comparisons.find((each) => this.#takeSigns(each));
    if (sign === undefined) return undefined;
    if (this.#takeWord('ANY') || this.#takeWord('SOME')) return this.#anyOrAll(left, sign === '=', false);
    if (this.#takeWord('ALL')) return this.#anyOrAll(left, sign === '<>', true);
    const right = this.#sum();
    return (row) => compared(sign, left(row), right(row));
  }

  /** `= ANY (ARRAY[…])` is how PostgreSQL keeps `IN`, and `<> ALL` is `NOT IN`. */
  #anyOrAll(left: SqlExpression, isUsual: boolean, isNegated: boolean): SqlExpression {
    if (!isUsual || !this.#takeSigns('(')) throw new Unreadable();
    const isDeeper = this.#takeSigns('(');
    if (!this.#takeWord('ARRAY')) throw new Unreadable();
    const test = this.#among(left, this.#list('[', ']'));
    if (isDeeper) this.#need(')');
    this.#casts((row) => row);
    this.#need(')');
    return isNegated ? (row) => negated(isTrue(test(row))) : test;
  }

  #among(left: SqlExpression, items: readonly SqlExpression[]): SqlExpression {
    return (row) => {
      const results = items.map((item) => compared('=', left(row), item(row)));
      return results.includes(true) ? true : results.includes(null) ? null : false;
    };
  }

  #matching(left: SqlExpression, kind: PatternKind): SqlExpression {
    const before = this.#columns.size;
    const pattern = this.#sum();
    if (this.#takeWord('ESCAPE')) this.#sum();
    const written = this.#columns.size === before ? pattern({}) : undefined;
    if (typeof written === 'string') this.#patterns.push(patternOf(kind, written));
    return (row) => {
      const [text, wanted] = [left(row), pattern(row)];
      return typeof text === 'string' && typeof wanted === 'string' ? isMatching(kind, wanted, text) : null;
    };
  }

  #sum(): SqlExpression {
    let left = this.#product();
    for (;;) {
      const sign = ['||', '+', '-'].find((each) => this.#takeSigns(each));
      if (sign === undefined) return left;
      const [one, other] = [left, this.#product()];
      left =
        sign === '||'
          ? (row) => withBoth(one(row), other(row), (a, b) => `${a}${b}`)
          : arithmetic(one, other, (a, b) => (sign === '+' ? a + b : a - b));
    }
  }

  #product(): SqlExpression {
    let left = this.#signed();
    for (;;) {
      const sign = ['*', '/', '%'].find((each) => this.#takeSigns(each));
      if (sign === undefined) return left;
      const [one, other] = [left, this.#signed()];
      left = arithmetic(one, other, (a, b) => (sign === '*' ? a * b : sign === '/' ? a / b : a % b));
    }
  }

  #signed(): SqlExpression {
    if (this.#takeSigns('+')) return this.#signed();
    if (!this.#takeSigns('-')) return this.#casts(this.#primary());
    const before = this.#constants.length;
    const inner = this.#signed();
    for (let index = before; index < this.#constants.length; index++) {
      const constant = this.#constants[index];
      if (typeof constant === 'number') this.#constants[index] = -constant;
    }
    return arithmetic(
      () => 0,
      inner,
      (a, b) => a - b,
    );
  }

  /** `'a'::character varying(3)[]`: values are compared by what they are, so that casts say nothing new. */
  #casts(inner: SqlExpression): SqlExpression {
    while (this.#takeSigns('::')) this.#typeName();
    return inner;
  }

  #typeName(): void {
    const known = ['VARYING', 'PRECISION', 'WITHOUT', 'WITH', 'TIME', 'ZONE', 'UNSIGNED', 'SIGNED', 'INTEGER'];
    if (this.#takeName() === undefined) throw new Unreadable();
    if (this.#takeSigns('.') && this.#takeName() === undefined) throw new Unreadable();
    while (known.some((word) => this.#takeWord(word)));
    if (this.#isSign('(')) this.#list('(', ')');
    while (known.some((word) => this.#takeWord(word)));
    while (this.#takeSigns('[')) this.#need(']');
  }

  #primary(): SqlExpression {
    const token = this.#tokens[this.#next];
    if (!token) throw new Unreadable();
    if (this.#takeSigns('(')) {
      const inner = this.#or();
      this.#need(')');
      return inner;
    }
    this.#next += 1;
    if (token.kind === 'string') return this.#constant(token.text);
    if (token.kind === 'number') return this.#constant(Number(token.text));
    if (token.kind === 'sign') throw new Unreadable();
    return token.isQuoted ? this.#column(token.text) : this.#word(token.text);
  }

  #word(name: string): SqlExpression {
    const word = name.toUpperCase();
    if (word === 'NULL') return () => null;
    if (word === 'TRUE' || word === 'FALSE') return () => word === 'TRUE';
    if (word === 'CURRENT_DATE' || word === 'CURRENT_TIMESTAMP' || word === 'LOCALTIMESTAMP') return now;
    if (word === 'CASE' || word === 'INTERVAL' || word === 'SELECT' || word === 'EXISTS') throw new Unreadable();
    if (word === 'CAST' && this.#isSign('(')) return this.#cast();
    if (word === 'VALUE' && this.#valueColumn !== undefined) return this.#column(this.#valueColumn);
    // The character set of a text of MySQL, or the type of a date.
    const isMark = name.startsWith('_') || word === 'DATE' || word === 'TIMESTAMP' || word === 'TIME';
    const next = this.#tokens[this.#next];
    if (isMark && next?.kind === 'string') return this.#primary();
    if (!this.#isSign('(')) return this.#column(name);
    const called = functionNamed(word);
    if (!called) throw new Unreadable();
    const parameters = this.#list('(', ')');
    return (row) => called(parameters.map((parameter) => parameter(row) ?? null));
  }

  #cast(): SqlExpression {
    this.#need('(');
    const inner = this.#or();
    if (!this.#takeWord('AS')) throw new Unreadable();
    this.#typeName();
    this.#need(')');
    return inner;
  }

  #constant(value: number | string): SqlExpression {
    this.#constants.push(value);
    return () => value;
  }

  #column(name: string): SqlExpression {
    this.#columns.add(name);
    return (row) => row[name] ?? null;
  }

  #list(open: string, close: string): readonly SqlExpression[] {
    this.#need(open);
    const items: SqlExpression[] = [];
    if (this.#takeSigns(close)) return items;
    do items.push(this.#or());
    while (this.#takeSigns(','));
    this.#need(close);
    return items;
  }

  #need(sign: string): void {
    if (!this.#takeSigns(sign)) throw new Unreadable();
  }

  #isSign(sign: string): boolean {
    const token = this.#tokens[this.#next];
    return token?.kind === 'sign' && token.text === sign;
  }

  /** Take an operator: its signs stand one behind the other. */
  #takeSigns(operator: string): boolean {
    const found = [...operator].every((sign, index) => {
      const token = this.#tokens[this.#next + index];
      return token?.kind === 'sign' && token.text === sign;
    });
    if (found) this.#next += operator.length;
    return found;
  }

  #takeWord(word: string): boolean {
    const token = this.#tokens[this.#next];
    const found = token?.kind === 'name' && !token.isQuoted && token.text.toUpperCase() === word;
    if (found) this.#next += 1;
    return found;
  }

  #takeName(): string | undefined {
    const token = this.#tokens[this.#next];
    if (token?.kind !== 'name') return undefined;
    this.#next += 1;
    return token.text;
  }
}

const now: SqlExpression = () => new Date().toISOString();

function withBoth<Result>(a: unknown, b: unknown, work: (a: unknown, b: unknown) => Result): Result | null {
  return (a ?? null) === null || (b ?? null) === null ? null : work(a, b);
}

function arithmetic(one: SqlExpression, other: SqlExpression, work: (a: number, b: number) => number): SqlExpression {
  return (row) =>
    withBoth(one(row), other(row), (a, b) => {
      const result = work(Number(a), Number(b));
      return Number.isFinite(result) ? result : null;
    });
}

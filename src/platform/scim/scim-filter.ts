import type { CloudError } from '#kernel/errors/cloud-error';
import { scimError } from './scim-errors.ts';
import { withoutSchema } from './scim-resources.ts';

export type FilterValue = string | number | boolean | null;

const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Comparison = (typeof comparisons)[number];

/** A filter of RFC 7644 (3.4.2.2). Attributes are in lower case, without the address of their schema. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter }
  | { readonly kind: 'present'; readonly attribute: string }
  | {
      readonly kind: 'compare';
      readonly attribute: string;
      readonly comparison: Comparison;
      readonly value: FilterValue;
    }
  /** One of several values fits: `emails[type eq "work"]`. The attributes of `part` are below `attribute`. */
  | { readonly kind: 'some'; readonly attribute: string; readonly part: Filter };

const mostCharacters = 2000;
const deepest = 20;
const mostConditions = 100;

/** @throws `REQUEST_INVALID` */
export function parseFilter(text: string): Filter {
  if (text.length > mostCharacters) throw invalidFilter(`The filter has more than ${mostCharacters} characters`);
  return new FilterParser(tokensOf(text)).parse();
}

export function invalidFilter(why: string, nextStep = 'Write it as RFC 7644 (3.4.2.2) says.', cause?: unknown) {
  return scimError('invalidFilter', `${why}.`, nextStep, cause);
}

interface Token {
  readonly text: string;
  /** Where it begins, counted from 1. */
  readonly place: number;
}

const tokenForm = /[()[\]]|"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|\.?[A-Za-z$][\w$:.-]*/y;

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === ' ' || text[at] === '\t') {
      at++;
      continue;
    }
    tokenForm.lastIndex = at;
    const [found] = tokenForm.exec(text) ?? [];
    if (found === undefined) throw invalidFilter(`The filter cannot be read at character ${at + 1}`);
    tokens.push({ text: found, place: at + 1 });
    at += found.length;
  }
  return tokens;
}

/** Reads by descent: `or` binds less than `and`, and `and` less than `not`. */
class FilterParser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;
  #conditions = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Filter {
    const filter = this.#joined('or');
    const { text, place } = this.#tokens[this.#at] ?? {};
    if (text === undefined) return filter;
    throw invalidFilter(`The filter does not go on with "${text}" at character ${place}`);
  }

  #joined(kind: 'or' | 'and'): Filter {
    const next = () => (kind === 'or' ? this.#joined('and') : this.#term());
    const first = next();
    const parts = [first];
    while (this.#takes(kind)) parts.push(next());
    return parts.length === 1 ? first : { kind, parts };
  }

  #term(): Filter {
    if (this.#takes('not')) return { kind: 'not', part: this.#enclosed('(', ')') };
    if (this.#isNext('(')) return this.#enclosed('(', ')');
    return this.#condition();
  }

  #enclosed(open: '(' | '[', close: ')' | ']'): Filter {
    if (!this.#takes(open)) throw this.#expected(`"${open}"`);
    if (++this.#depth > deepest) throw invalidFilter(`The filter is more than ${deepest} levels deep`);
    const inner = this.#joined('or');
    if (!this.#takes(close)) throw this.#expected(`"${close}"`);
    this.#depth--;
    return inner;
  }

  #condition(): Filter {
    if (++this.#conditions > mostConditions) {
      throw invalidFilter(`The filter has more than ${mostConditions} conditions`);
    }
    const name = this.#take();
    if (name === undefined || !/^[A-Za-z]/.test(name)) throw this.#expected('an attribute', -1);
    const attribute = withoutSchema(name).toLowerCase();
    if (!this.#isNext('[')) return this.#compared(attribute);
    const part = this.#enclosed('[', ']');
    if (!this.#tokens[this.#at]?.text.startsWith('.')) return { kind: 'some', attribute, part };
    // Entra ID looks for people by `emails[type eq "work"].value eq "…"`.
    const inner = this.#compared((this.#take() ?? '').slice(1).toLowerCase());
    return { kind: 'some', attribute, part: { kind: 'and', parts: [part, inner] } };
  }

  #compared(attribute: string): Filter {
    const operator = this.#take()?.toLowerCase();
    if (operator === 'pr') return { kind: 'present', attribute };
    const comparison = comparisons.find((each) => each === operator);
    if (comparison) return { kind: 'compare', attribute, comparison, value: this.#value() };
    throw this.#expected(`"pr" or one of ${comparisons.join(', ')}`, -1);
  }

  #value(): FilterValue {
    const text = this.#take() ?? '';
    if (!/^(?:["\d-]|true$|false$|null$)/i.test(text)) throw this.#expected('a value', -1);
    try {
      const value = JSON.parse(text.startsWith('"') ? text : text.toLowerCase()) as FilterValue;
      if (typeof value !== 'string' || !value.includes('\0')) return value;
    } catch (error) {
      throw invalidFilter(`The value ${text} is not JSON`, 'Write texts between double quotes.', error);
    }
    throw invalidFilter('A value has the character U+0000', 'Leave that character out.');
  }

  #isNext(text: string): boolean {
    return this.#tokens[this.#at]?.text.toLowerCase() === text;
  }

  #takes(text: string): boolean {
    const isNext = this.#isNext(text);
    if (isNext) this.#at++;
    return isNext;
  }

  #take(): string | undefined {
    return this.#tokens[this.#at++]?.text;
  }

  /** @param offset from the token that comes next. */
  #expected(what: string, offset: 0 | -1 = 0): CloudError {
    const token = this.#tokens[this.#at + offset];
    const place = token ? `at character ${token.place}, and not "${token.text}"` : 'at its end';
    return invalidFilter(`The filter needs ${what} ${place}`);
  }
}

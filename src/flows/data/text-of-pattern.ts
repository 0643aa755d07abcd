import type { SeededRandom } from '#project/index';

/** A text that matches a pattern of LIKE: `%` is a word or the end of the text that was there, which tells records apart; `_` a letter. */
export function textOfLike(pattern: string, before: string, random: SeededRandom): string {
  const end = /\S*$/.exec(before)?.[0] ?? '';
  return pattern.replace(/[%_]/g, (sign) =>
    sign === '%' ? random.pick(['amber', end, end, end]) : random.pick(letters),
  );
}

const letters = ['a', 'b', 'c', 'd', 'e'] as const;
const classes: Readonly<Record<string, string>> = { d: '0123456789', w: 'abcdefghijklmnopqrstuvwxyz', s: ' ' };
const anything = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** A text that a simple regular expression matches: characters, sets, groups, choices and counts. It is tried, and need not match. */
export function textOfRegex(pattern: string, random: SeededRandom): string {
  return new Generator(pattern.replace(/^\^/, '').replace(/\$$/, ''), random).choices();
}

class Generator {
  readonly #pattern: string;
  readonly #random: SeededRandom;
  #next = 0;

  constructor(pattern: string, random: SeededRandom) {
    this.#pattern = pattern;
    this.#random = random;
  }

  /** `a|b`: one of them. */
  choices(): string {
    const found: [string, ...string[]] = [this.#sequence()];
    while (this.#take('|')) found.push(this.#sequence());
    return this.#random.pick(found);
  }

  #sequence(): string {
    let text = '';
    while (this.#next < this.#pattern.length && !'|)'.includes(this.#pattern.charAt(this.#next))) {
      const start = this.#next;
      const first = this.#atom();
      const end = this.#next;
      const times = this.#times();
      if (times > 0) text += first;
      const after = this.#next;
      for (let time = 1; time < times; time++) {
        this.#next = start;
        text += this.#atom();
      }
      this.#next = Math.max(after, end);
    }
    return text;
  }

  #atom(): string {
    if (this.#take('(')) {
      if (this.#take('?')) this.#take(':');
      const text = this.choices();
      this.#take(')');
      return text;
    }
    if (this.#take('[')) return this.#set();
    const sign = this.#pattern.charAt(this.#next++);
    if (sign === '.') return this.#oneOf(anything);
    if (sign !== '\\') return sign;
    const escaped = this.#pattern.charAt(this.#next++);
    return this.#oneOf(classes[escaped] ?? escaped);
  }

  #set(): string {
    const isNegated = this.#take('^');
    let members = '';
    while (this.#next < this.#pattern.length && !this.#take(']')) {
      const sign = this.#pattern.charAt(this.#next++);
      if (sign === '\\') members += classes[this.#pattern.charAt(this.#next)] ?? this.#pattern.charAt(this.#next);
      if (sign === '\\') this.#next += 1;
      else if (this.#pattern.charAt(this.#next) === '-' && this.#pattern.charAt(this.#next + 1) !== ']') {
        members += between(sign, this.#pattern.charAt(this.#next + 1));
        this.#next += 2;
      } else members += sign;
    }
    return this.#oneOf(isNegated ? [...anything].filter((sign) => !members.includes(sign)).join('') : members);
  }

  #times(): number {
    if (this.#take('?')) return this.#random.integer(0, 1);
    if (this.#take('*')) return this.#random.integer(0, 4);
    if (this.#take('+')) return this.#random.integer(1, 4);
    const [whole, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(this.#pattern.slice(this.#next)) ?? [];
    if (whole === undefined) return 1;
    this.#next += whole.length;
    const from = Number(least);
    return this.#random.integer(from, comma === '' ? from : most === '' ? from + 4 : Number(most));
  }

  #take(sign: string): boolean {
    const isThere = this.#pattern.startsWith(sign, this.#next);
    if (isThere) this.#next += sign.length;
    return isThere;
  }

  #oneOf(members: string): string {
    return members === '' ? '' : members.charAt(this.#random.integer(0, members.length - 1));
  }
}

function between(first: string, last: string): string {
  const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)];
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => String.fromCharCode(from + index)).join('');
}

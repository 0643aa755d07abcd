/** White space and line ends as JavaScript has them, as the inside of a class. */
const spaces =
  '\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
/** Everything else. */
const noSpaces =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const lineEnds = '\\x{a}\\x{d}\\x{2028}\\x{2029}';

/** What stands outside of the two languages' common part. */
class NoLinearForm extends Error {}

/**
 * A regular expression of JavaScript in the syntax of RE2, which says the same of every well-formed text; `undefined` where it looks
 * around or back, or means something that RE2 cannot say.
 */
export function linearSyntax({ source, flags }: RegExp): string | undefined {
  const isUnicode = flags.includes('u');
  const ignoresCase = flags.includes('i');
  // Without the flag `u`, case and characters beyond the first plane have rules of their own.
  if (/[mv]/.test(flags) || (ignoresCase && !isUnicode) || (!isUnicode && /[\ud800-\udfff]/.test(source)))
    return undefined;
  try {
    const translated = new Translation(source, { isUnicode, ignoresCase, isDotAll: flags.includes('s') }).run();
    return ignoresCase ? `(?i)${translated}` : translated;
  } catch (error) {
    if (error instanceof NoLinearForm) return undefined;
    throw error;
  }
}

interface Meaning {
  readonly isUnicode: boolean;
  readonly ignoresCase: boolean;
  readonly isDotAll: boolean;
}

/** One character, or a class of them. */
type Atom = { readonly code: number } | { readonly inClass: string; readonly bare: string };

class Translation {
  readonly #source: string;
  readonly #meaning: Meaning;
  #at = 0;

  constructor(source: string, meaning: Meaning) {
    this.#source = source;
    this.#meaning = meaning;
  }

  run(): string {
    let written = '';
    while (this.#at < this.#source.length) written += this.#next();
    return written;
  }

  #next(): string {
    const sign = this.#take();
    switch (sign) {
      case '^':
        return '\\A';
      case '$':
        return '\\z';
      case '.':
        return this.#meaning.isDotAll ? '(?s:.)' : `[^${lineEnds}]`;
      case '(':
        return this.#group();
      case '[':
        return this.#class();
      case '{':
        return this.#repetition();
      case '\\':
        return this.#escape();
      case ')':
      case '|':
      case '*':
      case '+':
      case '?':
        return sign;
      default:
        return written(sign.codePointAt(0) ?? 0);
    }
  }

  #group(): string {
    if (!this.#rest().startsWith('?')) return '(?:';
    const opening = /^\?(?::|<[^=!>][^>]*>)/.exec(this.#rest())?.[0];
    if (opening === undefined) throw new NoLinearForm();
    this.#at += opening.length;
    return '(?:';
  }

  #repetition(): string {
    const counted = /^\d+(?:,\d*)?\}/.exec(this.#rest())?.[0];
    // Without the flag `u`, any other brace is itself.
    if (counted === undefined) return written(0x7b);
    this.#at += counted.length;
    return `{${counted}`;
  }

  #escape(): string {
    const next = this.#source[this.#at] ?? '';
    if (next === 'b' || next === 'B') {
      if (this.#meaning.ignoresCase) throw new NoLinearForm();
      this.#at += 1;
      return `\\${next}`;
    }
    const atom = this.#escaped();
    return 'code' in atom ? written(atom.code) : atom.bare;
  }

  #class(): string {
    const isNegated = this.#source[this.#at] === '^';
    if (isNegated) this.#at += 1;
    let parts = '';
    while (this.#source[this.#at] !== ']') {
      const first = this.#classAtom();
      if (this.#rest().startsWith('-') && this.#source[this.#at + 1] !== ']') {
        this.#at += 1;
        const last = this.#classAtom();
        if (!('code' in first) || !('code' in last)) throw new NoLinearForm();
        parts += `${written(first.code)}-${written(last.code)}`;
      } else parts += 'code' in first ? written(first.code) : first.inClass;
    }
    this.#at += 1;
    // `[]` and `[^]` are not classes of RE2.
    if (parts === '') throw new NoLinearForm();
    return `[${isNegated ? '^' : ''}${parts}]`;
  }

  #classAtom(): Atom {
    const sign = this.#take();
    if (sign !== '\\') return { code: sign.codePointAt(0) ?? 0 };
    if (this.#source[this.#at] !== 'b') return this.#escaped();
    this.#at += 1;
    return { code: 0x08 };
  }

  /** What stands behind a backslash. */
  #escaped(): Atom {
    const sign = this.#take();
    const { isUnicode, ignoresCase } = this.#meaning;
    switch (sign) {
      case 'd':
        return { inClass: '0-9', bare: '[0-9]' };
      case 'D':
        return { inClass: '\\D', bare: '[^0-9]' };
      case 'w':
      case 'W':
        if (ignoresCase) throw new NoLinearForm();
        return { inClass: `\\${sign}`, bare: `\\${sign}` };
      case 's':
        return { inClass: spaces, bare: `[${spaces}]` };
      case 'S':
        return { inClass: noSpaces, bare: `[^${spaces}]` };
      case 't':
        return { code: 0x09 };
      case 'n':
        return { code: 0x0a };
      case 'v':
        return { code: 0x0b };
      case 'f':
        return { code: 0x0c };
      case 'r':
        return { code: 0x0d };
      case 'x':
        return { code: this.#hexadecimal(/^[0-9a-f]{2}/i) };
      case 'u':
        return { code: this.#hexadecimal(isUnicode ? /^(?:[0-9a-f]{4}|\{[0-9a-f]+\})/i : /^[0-9a-f]{4}/i) };
      default:
        // Letters and digits may refer back, or mean what only one of the languages knows.
        if (/[\p{L}\p{N}]/u.test(sign)) throw new NoLinearForm();
        return { code: sign.codePointAt(0) ?? 0 };
    }
  }

  #hexadecimal(form: RegExp): number {
    const digits = form.exec(this.#rest())?.[0];
    const code = Number.parseInt(digits?.replaceAll(/[{}]/g, '') ?? '', 16);
    // Halves of a pair are not characters.
    if (digits === undefined || (code >= 0xd800 && code <= 0xdfff)) throw new NoLinearForm();
    this.#at += digits.length;
    return code;
  }

  #take(): string {
    const code = this.#source.codePointAt(this.#at);
    if (code === undefined) throw new NoLinearForm();
    const sign = String.fromCodePoint(code);
    this.#at += sign.length;
    return sign;
  }

  #rest(): string {
    return this.#source.slice(this.#at);
  }
}

function written(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

export type PatternKind = 'like' | 'ilike' | 'glob' | 'regex' | 'iregex';

const special = /[\\^$.*+?()[\]{}|]/g;
/** Matches nothing: what JavaScript does not understand refuses every text, and the database decides. */
const nothing = /(?!)/;

/** A pattern of SQL as a regular expression. `like` ignores case in some databases and not in others: it does not here. */
export function patternOf(kind: PatternKind, pattern: string): RegExp {
  const flags = kind.startsWith('i') ? 'isu' : 'su';
  try {
    if (kind === 'regex' || kind === 'iregex') return new RegExp(pattern, flags);
    if (kind === 'glob')
      return new RegExp(
        `^${pattern
          .replace(/[\\^$.+(){}|]/g, '\\$&')
          .replaceAll('*', '.*')
          .replaceAll('?', '.')}$`,
        flags,
      );
    return new RegExp(`^${pattern.replace(special, '\\$&').replaceAll('%', '.*').replaceAll('_', '.')}$`, flags);
  } catch {
    return nothing;
  }
}

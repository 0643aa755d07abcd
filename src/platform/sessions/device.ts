import type { Session } from '#contracts/sessions';

type Names = readonly (readonly [name: string, pattern: RegExp])[];

/** Most browsers also name those that they are made from, so the order counts. */
const browsers: Names = [
  ['Edge', /\bEdg(?:A|iOS)?\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)\S*(?: Mobile\/\S+)? Safari\//],
];

const systems: Names = [
  ['Windows', /\bWindows NT\b/],
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
];

/** What a browser says of itself, in words; `null` for a program that names neither a browser nor a system. */
export function deviceOf(userAgent: string | null): Session['device'] {
  const [browser, system] = [browsers, systems].map((names) => nameIn(names, userAgent ?? ''));
  return browser || system ? { browser: browser ?? null, system: system ?? null } : null;
}

function nameIn(names: Names, userAgent: string): string | undefined {
  for (const [name, pattern] of names) {
    const found = pattern.exec(userAgent);
    if (found) return [name, ...found.slice(1)].join(' ');
  }
  return undefined;
}

import { cloudError } from '#kernel/errors/cloud-error';

/** `browse read on`: some rights, and whether they are given or taken away. Throws `USAGE_INVALID`. */
export function rightsAndSwitch(words: readonly string[]): {
  readonly rights: readonly string[];
  readonly isOn: boolean;
} {
  const last = words.at(-1);
  const rights = words.slice(0, -1);
  if ((last === 'on' || last === 'off') && rights.length > 0) return { rights, isOn: last === 'on' };
  throw cloudError(
    'USAGE_INVALID',
    'Name one right or more, and then "on" or "off".',
    'vendor-cloud permissions set support orders browse read on',
  );
}

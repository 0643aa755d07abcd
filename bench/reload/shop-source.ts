import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';

/** What the code is called inside the repository, and inside a project of a user. */
const differences = [
  ["'#runtime/customizer/agent'", "'@vendor/cloud'"],
  ['export function customize', 'export default function customize'],
] as const;

/** The customization code as a user would have it, with a revision filled in. */
export async function readShopSource(): Promise<(revision: string) => string> {
  const text = await readFile(new URL('./shop-customization.ts', import.meta.url), 'utf8');
  const source = differences.reduce((code, [here, there]) => partsAround(code, here).join(there), text);
  const parts = partsAround(source, "'r0'");
  return (revision) => parts.join(`'${revision}'`);
}

/** What stands before and after the one place where `mark` stands. */
function partsAround(text: string, mark: string): readonly string[] {
  const parts = text.split(mark);
  assert.equal(parts.length, 2, `${mark} has to be in the customization code once.`);
  return parts;
}

/** Verifies exports with what the console runs in a browser, and writes the verdicts to stdout: `verify-as-in-browser.ts ASKED`. */
import { readFileSync } from 'node:fs';
import { withLearnedSignatures } from '#contracts/audit/learned-signatures';
import { type VerifyOptions, verifyExport } from '#contracts/audit/verify-export';

interface Asked {
  readonly files: readonly string[];
  readonly options: VerifyOptions;
}

const { files, options } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Asked;
const verdicts: unknown[] = [];
for (const file of files) {
  const lines = readFileSync(file, 'utf8').split('\n');
  verdicts.push(await verifyExport(withLearnedSignatures(lines, options), options));
}
process.stdout.write(JSON.stringify(verdicts));
